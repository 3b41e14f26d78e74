package io.stampedeguard.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is assumed of a key while the store does not answer requests for its lease:
 * <ul>
 *   <li>it is still held, until {@code leaseTtl} has passed since the store said so: the holder may have renewed its lease just
 *       before the store stalled;
 *   <li>it still cools down, for as long as the store said, or as a load that failed in this process requires.
 * </ul>
 * A load that failed under a lease, and whose mark the store has refused, cools down in this process even if the store grants the
 * next lease ({@link #untakenCoolDown}).
 *
 * <p>Beyond a number of keys the oldest answers are dropped. <em>Thread-safe.</em>
 */
public final class LastAnswers {
    private static final int MOST_KEYS = 100_000;

    private final Cache<String, Known> last;
    private final long leaseNanos;
    private final TimeSource time;

    /**
     * An answer, until when it is assumed, and the number of loads that failed in a row of which the store does not know; {@code
     * isUntaken} if it gave a lease for the last of them, and has refused its mark.
     */
    private record Known(LeaseAttempt answer, long untilNanos, int failures, boolean isUntaken) {}

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
            Known held = new Known(answer, nowNanos + leaseNanos, 0, false);
            last.asMap()
                    .compute(storeKey, (same, known) -> isUntaken(known) ? known : held); // perhaps not given back yet
        } else if (answer instanceof LeaseAttempt.Failed failed) {
            last.put(storeKey, new Known(answer, nowNanos + failed.remaining().toNanos(), 0, false));
        } else {
            boolean isGranted = answer instanceof LeaseAttempt.Granted;
            last.asMap().computeIfPresent(storeKey, (same, known) -> isGranted && isUntaken(known) ? known : null);
        }
    }

    private static boolean isUntaken(@Nullable Known known) {
        return known != null && known.isUntaken;
    }

    /** Notes the failure of a load; {@code mark} is what the store remembers, or would remember without an outage. */
    void failed(String storeKey, LeaseEnd.Fail mark) {
        Known failed = known(mark, false);
        last.asMap().compute(storeKey, (same, known) -> isHeld(known) ? known : failed);
    }

    /** Notes the failure of a load under a lease; {@code mark} is what the store should remember, and has refused. */
    void failedUnderLease(String storeKey, LeaseEnd.Fail mark) {
        last.put(storeKey, known(mark, true));
    }

    private Known known(LeaseEnd.Fail mark, boolean isUntaken) {
        Duration coolDown = mark.coolDown();
        LeaseAttempt answer = new LeaseAttempt.Failed(mark.failure(), coolDown, mark.inARow());
        return new Known(answer, time.monotonicNanos() + coolDown.toNanos(), mark.inARow(), isUntaken);
    }

    /** Returns the cool-down of a key for which the store grants leases, but has refused the mark; {@code null} if none. */
    @Nullable
    LeaseAttempt untakenCoolDown(String storeKey) {
        Known known = last.getIfPresent(storeKey);
        return isUntaken(known) ? assumed(storeKey) : null;
    }

    /** Returns how many loads of a key failed in a row of which the store does not know. */
    int failures(String storeKey) {
        Known known = last.getIfPresent(storeKey);
        return known == null ? 0 : known.failures;
    }

    /** Notes that a key was loaded. If that was without a lease, another process may hold one nevertheless. */
    void loaded(String storeKey) {
        last.asMap().computeIfPresent(storeKey, (same, known) -> isHeld(known) ? known : null);
    }

    private boolean isHeld(@Nullable Known known) {
        return known != null
                && known.answer instanceof LeaseAttempt.Held
                && known.untilNanos - time.monotonicNanos() > 0;
    }

    /** Notes that nothing may be assumed any more: the key was changed. */
    public void forget(String storeKey) {
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
                ? new LeaseAttempt.Failed(failed.failure(), remaining, failed.failures())
                : new LeaseAttempt.Held(((LeaseAttempt.Held) known.answer).holder(), remaining);
    }
}
