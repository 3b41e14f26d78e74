package io.stampedeguard.redis.internal.connect;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How a call waits for a connection.
 *
 * @param holdsLease whether the caller holds a lease and has to keep it, publish under it, or give it back; such callers wait for
 *     nobody who does not
 * @param patience how long the caller waits at most
 * @param sentNanos takes the (monotonic) time at which the wait was over; {@code null} if nobody needs it
 */
public record Turn(
        boolean holdsLease, Duration patience, @Nullable AtomicLong sentNanos) {
    public static Turn of(Duration patience) {
        return new Turn(false, patience, null);
    }

    public static Turn of(Duration patience, AtomicLong sentNanos) {
        return new Turn(false, patience, sentNanos);
    }

    public Turn ofLeaseHolder() {
        return new Turn(true, patience, sentNanos);
    }
}
