package io.stampedeguard;

import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.flight.Seat;
import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** The wait of those who do not lead a flight for it to land. They never load. <em>Thread-safe.</em> */
final class Following<K, V> {
    private final TimeSource time;
    private final CacheEvents events;

    Following(CacheParts<K, V> parts) {
        this.time = parts.time();
        this.events = parts.events();
    }

    /**
     * Waits for a flight.
     *
     * @return what it brought, or {@code null} if this caller must begin again
     */
    @Nullable
    Outcome<V> follow(Look<K, V> look, Seat<Outcome<V>> seat, Deadline deadline) {
        long began = time.monotonicNanos();
        WaitOutcome waited = WaitOutcome.TIMED_OUT;
        try {
            boolean landed = time.await(seat.landed(), deadline.remainingNanos());
            Outcome<V> outcome = landed ? resultOf(seat, look) : null;
            if (outcome == null && deadline.isOver()) {
                throw WaitTimeoutException.of(look.storeKey());
            }
            waited = outcome == null ? WaitOutcome.SENT_ROUND : WaitOutcome.ANSWERED;
            return outcome;
        } catch (InterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw WaitInterruptedException.restoringFlag(look.storeKey(), e);
        } finally {
            events.waited(waited, time.monotonicNanos() - began);
        }
    }

    /** What was loaded without a lease is for those who could not reach the store: others may know of an invalidation. */
    private @Nullable Outcome<V> resultOf(Seat<Outcome<V>> seat, Look<K, V> look) {
        return look.storeAnswers() ? seat.result() : seat.resultWithoutStore();
    }
}
