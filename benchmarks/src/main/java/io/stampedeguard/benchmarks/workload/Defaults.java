package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.workload.Workload.Effort;
import io.stampedeguard.benchmarks.workload.Workload.Rounds;
import java.util.List;
import java.util.function.Predicate;

/**
 * What a workload does if nothing else is requested: the peers that take part, of those that it suits, and the number of rounds, in a
 * quick run, too. <em>Immutable.</em>
 */
record Defaults(List<String> peers, Predicate<PeerKind> suited, Rounds rounds, Rounds quickly) {
    static final Defaults USUAL = new Defaults(
            List.of("guarded", "cache-aside", "caffeine"), PeerKind::isCache, new Rounds(3, 7), new Rounds(1, 2));

    static Defaults of(String... peers) {
        return new Defaults(List.of(peers), USUAL.suited, USUAL.rounds, USUAL.quickly);
    }

    /** Returns the same for fewer peers. */
    Defaults only(Predicate<PeerKind> which) {
        return new Defaults(peers, suited.and(which), rounds, quickly);
    }

    /** Returns the same with other rounds; those of a quick run are not preceded by others. */
    Defaults rounds(int warmUps, int counted, int countedQuickly) {
        return new Defaults(peers, suited, new Rounds(warmUps, counted), new Rounds(0, countedQuickly));
    }

    Rounds rounds(Effort effort) {
        Rounds usual = effort.quick() ? quickly : rounds;
        return effort.rounds() == null ? usual : new Rounds(usual.warmUps(), effort.rounds());
    }
}
