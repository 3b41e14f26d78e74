package io.stampedeguard.internal.flight;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place in a flight. <em>Immutable.</em>
 *
 * @param <R> what the flight brings
 * @param flight the flight
 * @param leads whether the caller began the flight and must land it
 * @param boardedAt how many attempts had begun when the caller joined
 */
public record Seat<R>(Flight<R> flight, boolean leads, int boardedAt) {
    /**
     * Returns what to wait for.
     *
     * @return a latch that opens when the flight lands
     */
    public CountDownLatch landed() {
        return flight.landed();
    }

    /** To be called by a passenger that does not wait for the landing any more. */
    public void alight() {
        flight.alight();
    }

    /**
     * Has a task run when the flight lands, on the executor of the flights: so one waits without a thread. The leader hands
     * over all such tasks in one go.
     *
     * @param task the task; must not block for long, since others may wait behind it
     * @return whether the task will be run; if not, the flight has landed
     */
    public boolean whenLanded(Runnable task) {
        return flight.whenLanded(task);
    }

    /**
     * Returns when the flight landed; to be asked after it landed.
     *
     * @return by the clock of the flights
     */
    public long landedNanos() {
        return flight.landedNanos();
    }

    /**
     * Returns what the flight brought to this seat; to be asked after it landed.
     *
     * @return the result, or {@code null} if this caller must go round again
     */
    public @Nullable R result() {
        return flight.resultFor(boardedAt);
    }

    /**
     * Returns what the flight brought to this seat, if its caller could not ask the store; to be asked after it landed.
     *
     * @return the result, or {@code null} if this caller must go round again
     */
    public @Nullable R resultWithoutStore() {
        return flight.resultWithoutStore(boardedAt);
    }
}
