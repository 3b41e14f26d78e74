package io.stampedeguard.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is assumed of a key while the store does not answer requests for its lease:
 * <ul>
 *   <li>it is still held, until {@code leaseTtl} has passed since the store said so: the holder may have renewed its lease just
 *       before the store stalled;
 *   <li>it still cools down, for as long as the store said, or as a load that failed in this process without a lease requires.
 * </ul>
 *
 * <p>Beyond a number of keys the oldest answers are dropped. <em>Thread-safe.</em>
 */
public final class LastAnswers {
    private static final int MOST_KEYS = 100_000;

    private final Cache<String, Known> last;
    private final long leaseNanos;
    private final TimeSource time;

    /** An answer, until when it is assumed, and the number of loads that failed in a row without a lease. */
    private record Known(LeaseAttempt answer, long untilNanos, int failures) {}

    public LastAnswers(CacheContext context) {
        Duration leaseTtl = context.policy().leaseTtl();
        Duration rowRemembered = context.policy().maxCoolDown().multipliedBy(2);
        this.leaseNanos = leaseTtl.toNanos();
        this.time = context.time();
        this.last = Caffeine.newBuilder()
                .maximumSize(MOST_KEYS)
                .expireAfterWrite(leaseTtl.compareTo(rowRemembered) > 0 ? leaseTtl : rowRemembered)
                .ticker(time::monotonicNanos)
                .executor(Runnable::run)
                .build();
    }

    /** Notes an answer of the store, whose request was sent at that (monotonic) time or later. */
    void note(String storeKey, LeaseAttempt answer, long nowNanos) {
        if (answer instanceof LeaseAttempt.Held) {
            last.put(storeKey, new Known(answer, nowNanos + leaseNanos, 0));
        } else if (answer instanceof LeaseAttempt.Failed failed) {
            last.put(storeKey, new Known(answer, nowNanos + failed.remaining().toNanos(), 0));
        } else {
            last.invalidate(storeKey);
        }
    }

    /** Notes the failure of a load without a lease; {@code mark} is what the store would remember. */
    void failed(String storeKey, FailedLoad mark) {
        Duration coolDown = mark.coolDown();
        LeaseAttempt answer = new LeaseAttempt.Failed(mark.failure(), coolDown);
        Known failed = new Known(answer, time.monotonicNanos() + coolDown.toNanos(), mark.inARow());
        last.asMap().compute(storeKey, (same, known) -> isHeld(known) ? known : failed);
    }

    /** Returns how many loads of a key failed in a row without a lease. */
    int failures(String storeKey) {
        Known known = last.getIfPresent(storeKey);
        return known == null ? 0 : known.failures;
    }

    /** Notes that a key was loaded without a lease. Another process may hold one nevertheless. */
    void loaded(String storeKey) {
        last.asMap().computeIfPresent(storeKey, (same, known) -> isHeld(known) ? known : null);
    }

    private boolean isHeld(@Nullable Known known) {
        return known != null
                && known.answer instanceof LeaseAttempt.Held
                && known.untilNanos - time.monotonicNanos() > 0;
    }

    /** Notes that nothing may be assumed any more: the key was changed. */
    void forget(String storeKey) {
        last.invalidate(storeKey);
    }

    /** Returns what is to be assumed of a key for which the store gives no answer; {@code null} if nothing is known. */
    @Nullable
    LeaseAttempt assumed(String storeKey) {
        Known known = last.getIfPresent(storeKey);
        long left = known == null ? 0 : known.untilNanos - time.monotonicNanos();
        if (known == null || left <= 0) {
            return null;
        }
        Duration remaining = Duration.ofNanos(left);
        return known.answer instanceof LeaseAttempt.Failed failed
                ? new LeaseAttempt.Failed(failed.failure(), remaining)
                : new LeaseAttempt.Held(((LeaseAttempt.Held) known.answer).holder(), remaining);
    }
}
