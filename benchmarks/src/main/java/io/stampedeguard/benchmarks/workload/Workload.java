package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Figures;
import io.stampedeguard.benchmarks.result.Goal;
import java.util.List;

/** A situation in which caches are compared, in rounds in which they alternate. */
public interface Workload {
    /**
     * Returns the name.
     *
     * @return a letter and a number
     */
    String name();

    /**
     * Returns a description of the situation.
     *
     * @return half a sentence
     */
    String about();

    /**
     * Returns the set-ups of the workload.
     *
     * @return their names
     */
    List<String> configs();

    /**
     * Returns the peers that take part if none are given; those that it does not suit are left out.
     *
     * @return their names; if not overridden, these three
     */
    default List<String> usualPeers() {
        return List.of("guarded", "cache-aside", "caffeine");
    }

    /**
     * Returns whether the workload applies to a peer.
     *
     * @param peer the peer
     * @return if not overridden, {@code true} except for the peer that is not a cache
     */
    default boolean suits(PeerKind peer) {
        return !peer.name().equals(Peers.BARE);
    }

    /**
     * Returns the number of rounds of a peer in each set-up.
     *
     * @param peer the peer
     * @param effort the extent of the run
     * @return if not overridden, 3 to warm up and 7 that count, unless the effort sets others
     */
    default Rounds rounds(PeerKind peer, Effort effort) {
        return Rounds.usual(effort);
    }

    /**
     * Returns whether the figures of all rounds are added up: then {@code round} in the output is their number.
     *
     * @return {@code false}, if not overridden
     */
    default boolean addsUp() {
        return false;
    }

    /**
     * Returns whether the set-ups alternate, too: each peer runs a round in each of them before the next peer does, so
     * that they can be compared. Otherwise all rounds in one set-up come before those in the next.
     *
     * @return {@code false}, if not overridden
     */
    default boolean configsTakeTurns() {
        return false;
    }

    /**
     * Runs one round.
     *
     * @param site the environment
     * @param turn the peer and the set-up
     * @return the measured figures
     * @throws InterruptedException if this thread is interrupted
     */
    Figures round(Site site, Turn turn) throws InterruptedException;

    /**
     * Returns the goals for the guarded cache.
     *
     * @return the goals, in the order in which they are shown
     */
    List<Goal> goals();
}
