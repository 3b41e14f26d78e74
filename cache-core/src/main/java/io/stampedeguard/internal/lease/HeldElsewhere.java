package io.stampedeguard.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The leases that other processes hold, as far as the store has answered. After such an answer, a request without an answer means
 * that the lease is still held, until {@code leaseTtl} has passed: its holder may have renewed it just before the store stalled.
 * <em>Thread-safe.</em>
 */
final class HeldElsewhere {
    /** Beyond this number of keys the oldest answers are dropped. */
    private static final int MOST_KEYS = 100_000;

    private final Cache<String, Told> told;
    private final long leaseNanos;
    private final TimeSource time;

    private record Told(@Nullable LeaseToken holder, long untilNanos) {}

    HeldElsewhere(Duration leaseTtl, TimeSource time) {
        this.leaseNanos = leaseTtl.toNanos();
        this.time = time;
        this.told = Caffeine.newBuilder()
                .maximumSize(MOST_KEYS)
                .expireAfterWrite(leaseTtl)
                .ticker(time::monotonicNanos)
                .executor(Runnable::run)
                .build();
    }

    /** Notes an answer of the store; the request was sent at that (monotonic) time or later. */
    void note(String storeKey, LeaseAttempt answer, long nowNanos) {
        if (answer instanceof LeaseAttempt.Held held) {
            told.put(storeKey, new Told(held.holder(), nowNanos + leaseNanos));
        } else {
            told.invalidate(storeKey);
        }
    }

    /** Returns what is to be assumed of a key for which the store gives no answer; {@code null} if nothing is known. */
    LeaseAttempt.@Nullable Held assumed(String storeKey) {
        Told last = told.getIfPresent(storeKey);
        long left = last == null ? 0 : last.untilNanos - time.monotonicNanos();
        return last == null || left <= 0 ? null : new LeaseAttempt.Held(last.holder, Duration.ofNanos(left));
    }
}
