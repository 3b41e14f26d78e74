package io.stampedeguard.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What this process was told of leases that others hold. After such an answer, a question without an answer means that the lease
 * is still held, until its longest life has passed since: its holder may have renewed it just before the store fell silent.
 * <em>Thread-safe.</em>
 */
final class HeldElsewhere {
    /** Beyond so many keys the oldest answers are forgotten. */
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

    /** Notes an answer of the store; the question was sent at that (monotonic) time or later. */
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
