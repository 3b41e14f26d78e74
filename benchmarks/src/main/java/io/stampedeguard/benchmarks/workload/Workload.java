package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Figures;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import java.util.List;

/** A situation in which caches are compared, in rounds in which they take turns. */
public interface Workload {
    /**
     * Returns the name.
     *
     * @return a letter and a number
     */
    String name();

    /**
     * Returns what happens.
     *
     * @return half a sentence
     */
    String about();

    /**
     * Returns the set-ups in which it is run.
     *
     * @return their names
     */
    List<String> configs();

    /**
     * Returns which peers take part if nobody names any; those that it does not suit do not.
     *
     * @return their names; if not overridden, these three
     */
    default List<String> usualPeers() {
        return List.of("guarded", "cache-aside", "caffeine");
    }

    /**
     * Returns whether it says anything about a peer.
     *
     * @param peer the peer
     * @return yes but for what is no cache, if not overridden
     */
    default boolean suits(PeerKind peer) {
        return !peer.name().equals(Peers.BARE);
    }

    /**
     * Returns how many rounds a peer has in each set-up.
     *
     * @param peer the peer
     * @param effort how much is to be done
     * @return 3 to warm up and 7 that count, if not overridden and nothing else was asked for
     */
    default Rounds rounds(PeerKind peer, Effort effort) {
        return Rounds.usual(effort);
    }

    /**
     * Returns whether the figures of all rounds are added up: then {@code round} in what is printed is their number.
     *
     * @return no, if not overridden
     */
    default boolean addsUp() {
        return false;
    }

    /**
     * Returns whether the set-ups take turns too: each peer runs a round in each of them before the next peer has its turn,
     * so that they can be compared. Else all rounds in one of them come before those in the next.
     *
     * @return no, if not overridden
     */
    default boolean configsTakeTurns() {
        return false;
    }

    /**
     * Runs one round.
     *
     * @param site where
     * @param turn whose, and how
     * @return what was measured
     * @throws InterruptedException if this thread is interrupted
     */
    Figures round(Site site, Turn turn) throws InterruptedException;

    /**
     * Returns what the guarded cache should reach.
     *
     * @return the goals, in the order in which they are shown
     */
    List<Goal> goals();
}
