package io.stampedeguard;

import io.stampedeguard.event.Step;
import io.stampedeguard.event.StepScope;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.hot.HotKeys;
import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The wait of those who do not lead a flight for it to land, on a thread of theirs or without one. They never load.
 * <em>Thread-safe.</em>
 */
final class Following<K, V> {
    private final TimeSource time;
    private final CacheEvents events;
    private final HotKeys hotKeys;

    Following(CacheParts<K, V> parts) {
        this.time = parts.time();
        this.events = parts.events();
        this.hotKeys = parts.hotKeys();
    }

    /**
     * Waits for a flight.
     *
     * @return what it brought, or {@code null} if this caller must begin again
     */
    @Nullable
    Outcome<V> follow(Look<K, V> look, Seat<Outcome<V>> seat, Deadline deadline) {
        begins(look);
        long began = time.monotonicNanos();
        StepScope step = events.begin(Step.WAIT);
        events.waits();
        try {
            time.await(seat.landed(), deadline.remainingNanos());
        } catch (InterruptedException e) {
            seat.alight();
            events.waited(WaitOutcome.INTERRUPTED, time.monotonicNanos() - began);
            throw Failures.interrupted(look.storeKey(), e);
        } finally {
            events.waitsNoMore();
            events.end(step, null);
        }
        return over(look, seat, deadline, began);
    }

    /** To be called when a wait begins. */
    void begins(Look<K, V> look) {
        hotKeys.waits(look.storeKey());
    }

    /**
     * Ends a wait, as the flight has landed or the deadline is over.
     *
     * @return what the flight brought, or {@code null} if this caller must begin again
     */
    @Nullable
    Outcome<V> over(Look<K, V> look, Seat<Outcome<V>> seat, Deadline deadline, long beganNanos) {
        Outcome<V> outcome = resultOf(seat, look);
        boolean timedOut = outcome == null && deadline.isOver();
        WaitOutcome waited = outcome == null ? WaitOutcome.SENT_ROUND : WaitOutcome.ANSWERED;
        events.waited(timedOut ? WaitOutcome.TIMED_OUT : waited, time.monotonicNanos() - beganNanos);
        if (timedOut) {
            seat.alight();
            hotKeys.waited();
            throw Failures.waitTimeout(look.storeKey());
        }
        if (outcome == null) {
            return null;
        }
        long landed = seat.landedNanos(); // it may have landed before this caller came to wait for it
        events.wakeUp(time.monotonicNanos() - (landed - beganNanos > 0 ? landed : beganNanos));
        hotKeys.waited();
        return outcome.waitedFor();
    }

    /** What was loaded without a lease is for those who could not reach the store: others may know of an invalidation. */
    private @Nullable Outcome<V> resultOf(Seat<Outcome<V>> seat, Look<K, V> look) {
        return look.storeAnswers() ? seat.result() : seat.resultWithoutStore();
    }
}
