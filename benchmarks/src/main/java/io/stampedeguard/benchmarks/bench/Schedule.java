package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workload.Effort;
import io.stampedeguard.benchmarks.workload.Workload.Rounds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The order of the rounds of one set-up: A B C A B C …; a peer with more rounds than the others continues alone. */
final class Schedule {
    private Schedule() {}

    /** A future round: its number from 1 since the start, and its number among the rounds that count, below 1 for a warm-up. */
    record Slot(PeerKind peer, int sinceStart, int number) {}

    static List<Slot> of(Workload workload, List<PeerKind> peers, Effort effort) {
        List<Slot> slots = new ArrayList<>();
        for (PeerKind peer : peers) {
            Rounds rounds = workload.rounds(peer, effort);
            for (int i = 1; i <= rounds.warmUps() + rounds.counted(); i++) {
                slots.add(new Slot(peer, i, i - rounds.warmUps()));
            }
        }
        slots.sort(Comparator.comparingInt(Slot::sinceStart)); // stable: the peers stay in order
        return slots;
    }
}
