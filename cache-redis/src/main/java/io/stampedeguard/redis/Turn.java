package io.stampedeguard.redis;

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
record Turn(boolean holdsLease, Duration patience, @Nullable AtomicLong sentNanos) {
    static Turn of(Duration patience) {
        return new Turn(false, patience, null);
    }

    static Turn of(Duration patience, AtomicLong sentNanos) {
        return new Turn(false, patience, sentNanos);
    }

    Turn ofLeaseHolder() {
        return new Turn(true, patience, sentNanos);
    }
}
