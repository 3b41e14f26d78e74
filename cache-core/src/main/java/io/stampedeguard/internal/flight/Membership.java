package io.stampedeguard.internal.flight;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One caller's part in a flight. <em>Immutable.</em>
 *
 * @param <R> the type of the flight's result
 * @param flight the flight
 * @param leads whether the caller began the flight and must complete it
 * @param joinedAt how many attempts had begun when the caller joined
 */
public record Membership<R>(Flight<R> flight, boolean leads, int joinedAt) {
    /**
     * Returns the latch to wait for.
     *
     * @return a latch that opens when the flight completes
     */
    public CountDownLatch completed() {
        return flight.completed();
    }

    /** Leaves the flight: this follower no longer waits for its completion. */
    public void leave() {
        flight.leave();
    }

    /**
     * Runs a task on the executor of the flights when the flight completes, so that waiting does not block a thread. The leader
     * hands over all such tasks at once.
     *
     * @param task the task; must not block for long, because others may wait behind it
     * @return whether the task will be run; false if the flight has completed
     */
    public boolean whenCompleted(Runnable task) {
        return flight.whenCompleted(task);
    }

    /**
     * Returns when the flight completed. Valid after its completion.
     *
     * @return the time by the clock of the flights
     */
    public long completedNanos() {
        return flight.completedNanos();
    }

    /**
     * Returns the flight's result for this caller. Valid after its completion.
     *
     * @return the result, or {@code null} if this caller must retry
     */
    public @Nullable R result() {
        return flight.resultFor(joinedAt);
    }

    /**
     * Returns the flight's result for this caller if the store did not answer it. Valid after the flight's completion.
     *
     * @return the result, or {@code null} if this caller must retry
     */
    public @Nullable R resultWithoutStore() {
        return flight.resultWithoutStore(joinedAt);
    }
}
