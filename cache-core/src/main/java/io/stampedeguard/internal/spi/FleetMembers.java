package io.stampedeguard.internal.spi;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;

/**
 * An optional ability of a {@link SharedStore}: it counts the live processes that use a cache, so that they can share a budget.
 * A process lives for a while after each announcement. Each method is one atomic step, and may block for a network round trip.
 * Implementations are <em>thread-safe</em>, and pass the contract kit {@code FleetMembersContract}.
 */
public interface FleetMembers {
    /**
     * Announces a process: adds it to the processes that use a cache, or extends its lifetime, and removes expired ones.
     *
     * @param process the name of the process, unique in the fleet
     * @param ttl how long it lives unless it is announced again or leaves, at least 1 ms
     * @return the live processes at this moment, this one included
     * @throws StoreException if the store does not answer; the process may be announced
     */
    Membership beat(String cache, String process, Duration ttl);

    /**
     * Removes a process. Does nothing if it is not there.
     *
     * @param process the name under which it was announced
     * @throws StoreException if the store does not answer; the process may be removed, and is when its time is over
     */
    void leave(String cache, String process);

    /**
     * The place of a process in its fleet. <em>Immutable.</em>
     *
     * @param processes the number of live processes, at least 1
     * @param rank how many of them come before this one in an order that does not change while they live, at least 0 and less than
     *     {@code processes}
     */
    record Membership(int processes, int rank) {}
}
