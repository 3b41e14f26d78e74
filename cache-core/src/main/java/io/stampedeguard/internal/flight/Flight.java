package io.stampedeguard.internal.flight;

import io.stampedeguard.internal.thread.Handover;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One load of one key in this process, as its leader sees it; its passengers see what becomes of it through their {@link
 * Seat}. The flight lands once: the first to land it, its leader or the timer that ends a load too long, decides what it
 * brings. <em>Thread-safe</em>, save that only the leader begins attempts.
 *
 * @param <R> what the flight brings
 */
public final class Flight<R> {
    private static final Handover LANDED = new Handover(() -> {}, null);

    /** One latch for all passengers: opening it costs the leader the same for one and for a thousand. */
    private final CountDownLatch landed = new CountDownLatch(1);

    private final AtomicReference<@Nullable Landing<R>> landing = new AtomicReference<>();

    /** Those who wait without a thread; {@link #LANDED} when they have been told. */
    private final AtomicReference<@Nullable Handover> waiting = new AtomicReference<>();

    private final SingleFlight<R> flights;
    private final String key;
    private final AtomicInteger passengers = new AtomicInteger();
    private volatile int attempts;
    private volatile int lastBoarding = -1;

    /**
     * What the flight brings.
     *
     * @param boardedBefore for whom: those who boarded before so many attempts
     * @param leased whether a lease protected the load; if not, it is also for those who could not ask the store
     * @param atNanos when
     */
    private record Landing<R>(@Nullable R result, int boardedBefore, boolean leased, long atNanos) {}

    Flight(SingleFlight<R> flights, String key) {
        this.flights = flights;
        this.key = key;
    }

    /** Draws a line: whoever joins from now on came after the question that is about to be asked. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the leader writes
    public void beginAttempt() {
        attempts++;
    }

    /**
     * Returns whether anybody joined after the last {@link #beginAttempt}. Who joins at this very moment may be missed.
     *
     * @return whether there are passengers whom an answer to the last attempt does not serve
     */
    public boolean hasLatecomers() {
        return lastBoarding >= attempts;
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
        land(brought, Integer.MAX_VALUE, true);
    }

    /**
     * Lands with a result that holds for those who joined before the last {@link #beginAttempt}; the others go round
     * again.
     *
     * @param brought the result
     */
    public void landForEarly(R brought) {
        land(brought, attempts, true);
    }

    /**
     * Lands with a result of a load that no lease protected: as {@link #landForEarly}, and for those who could not ask the
     * store either.
     *
     * @param brought the result
     */
    public void landUnleased(R brought) {
        land(brought, attempts, false);
    }

    /** Lands with nothing, unless the flight has landed: everybody goes round again. */
    public void landEmpty() {
        land(null, 0, true);
    }

    private void land(@Nullable R brought, int boardedBefore, boolean leased) {
        leave();
        Landing<R> with = new Landing<>(brought, boardedBefore, leased, flights.nanos());
        if (landing.compareAndSet(null, with)) {
            landed.countDown();
            Handover told = waiting.getAndSet(LANDED);
            if (told != null) {
                told.runOn(flights.executor());
            }
        }
    }

    /** Has a task run when the flight lands; false if it has landed, and the task will not be run. */
    boolean whenLanded(Runnable task) {
        while (true) {
            Handover before = waiting.get();
            if (before == LANDED) {
                return false;
            }
            if (waiting.compareAndSet(before, new Handover(task, before))) {
                return true;
            }
        }
    }

    /** Lets a passenger board; tells how many attempts had begun. */
    int board() {
        int before = attempts;
        passengers.incrementAndGet();
        lastBoarding = before; // of two who board at once the earlier may be noted: the other is sent round
        return before;
    }

    /** Lets a passenger go that does not wait for the landing. */
    void alight() {
        passengers.decrementAndGet();
    }

    int passengers() {
        return passengers.get();
    }

    CountDownLatch landed() {
        return landed;
    }

    long landedNanos() {
        Landing<R> how = landing.get();
        return how == null ? flights.nanos() : how.atNanos;
    }

    @Nullable
    R resultFor(int boardedAt) {
        Landing<R> how = landing.get();
        return how != null && boardedAt < how.boardedBefore ? how.result : null;
    }

    @Nullable
    R resultWithoutStore(int boardedAt) {
        Landing<R> how = landing.get();
        return how != null && !how.leased ? how.result : resultFor(boardedAt);
    }
}
