package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What stands in place of the lease of a key, as one sees it who does not want it. */
public sealed interface LeaseState {
    /**
     * Nobody holds it: who asks is granted it.
     *
     * @param failures how many loads failed in a row before, as far as is remembered
     */
    record Free(int failures) implements LeaseState {}

    /**
     * Somebody holds it.
     *
     * @param holder the token of the one who holds it; {@code null} if what holds it is no token
     * @param remaining how long it lives on if nobody renews it
     */
    record Held(@Nullable LeaseToken holder, Duration remaining) implements LeaseState {}

    /**
     * A load has failed lately, and the key cools down.
     *
     * @param failure what {@link SharedStore#fail} was told of the failure; not to be changed
     * @param remaining how long nobody is granted the lease
     * @param failures how many loads failed in a row
     */
    record CoolingDown(byte[] failure, Duration remaining, int failures) implements LeaseState {}

    /**
     * The last load brought a result that is not stored: callers load for themselves, without a lease.
     *
     * @param remaining how long this holds
     */
    record NotCacheable(Duration remaining) implements LeaseState {}

    /** The store does not tell. */
    record Unknown() implements LeaseState {}
}
