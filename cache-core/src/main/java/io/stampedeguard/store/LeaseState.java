package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The state of a key's lease, for diagnosis. */
public sealed interface LeaseState {
    /**
     * The lease is free: the next request is granted.
     *
     * @param failures the number of loads that failed in a row before, as far as it is still stored
     */
    record Free(int failures) implements LeaseState {}

    /**
     * The lease is held.
     *
     * @param holder the holder's token; {@code null} if the stored holder is not a token
     * @param remaining how long the lease lives unless it is renewed
     */
    record Held(@Nullable LeaseToken holder, Duration remaining) implements LeaseState {}

    /**
     * A load has recently failed, and the key cools down.
     *
     * @param failure the failure that was given to {@link LeaseEnd.Fail}; not to be modified
     * @param remaining how long the lease is not granted
     * @param failures the number of loads that failed in a row
     */
    record CoolingDown(byte[] failure, Duration remaining, int failures) implements LeaseState {}

    /**
     * The result of the last load is not stored: callers load for themselves, without a lease.
     *
     * @param remaining how long this state lasts
     */
    record NotCacheable(Duration remaining) implements LeaseState {}

    /** The store does not report the state. */
    record Unknown() implements LeaseState {}
}
