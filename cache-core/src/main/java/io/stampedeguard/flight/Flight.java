package io.stampedeguard.flight;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One load of one key in this process, as its leader sees it. Only the leader calls these methods; its passengers see
 * what they do through their {@link Seat}.
 *
 * @param <R> what the flight brings
 */
public final class Flight<R> {
    /** One latch for all passengers: opening it costs the leader the same for one and for a thousand. */
    private final CountDownLatch landed = new CountDownLatch(1);

    private final SingleFlight<R> flights;
    private final String key;
    private volatile int attempts;
    private volatile @Nullable R result;
    private volatile int boardedBefore;
    private volatile boolean leased = true;

    Flight(SingleFlight<R> flights, String key) {
        this.flights = flights;
        this.key = key;
    }

    /** Draws a line: whoever joins from now on came after the question that is about to be asked. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the leader writes
    public void beginAttempt() {
        attempts++;
    }

    /** Takes the flight off the map: nobody joins any more. */
    public void leave() {
        flights.remove(key, this);
    }

    /**
     * Lands with a result that holds for everybody on board.
     *
     * @param brought the result
     */
    public void landForAll(R brought) {
        land(brought, Integer.MAX_VALUE);
    }

    /**
     * Lands with a result that holds for those who joined before the last {@link #beginAttempt}; the others go round
     * again.
     *
     * @param brought the result
     */
    public void landForEarly(R brought) {
        land(brought, attempts);
    }

    /**
     * Lands with a result of a load that no lease protected: as {@link #landForEarly}, and for those who could not ask the
     * store either.
     *
     * @param brought the result
     */
    public void landUnleased(R brought) {
        leased = false;
        landForEarly(brought);
    }

    /** Lands with nothing, unless the flight has landed: everybody goes round again. */
    public void landEmpty() {
        if (landed.getCount() > 0) {
            land(null, 0);
        }
    }

    private void land(@Nullable R brought, int boardedBeforeAttempt) {
        leave();
        result = brought;
        boardedBefore = boardedBeforeAttempt;
        landed.countDown();
    }

    int attempts() {
        return attempts;
    }

    CountDownLatch landed() {
        return landed;
    }

    @Nullable
    R resultFor(int boardedAt) {
        return boardedAt < boardedBefore ? result : null;
    }

    @Nullable
    R resultWithoutStore(int boardedAt) {
        return leased ? resultFor(boardedAt) : result;
    }
}
