package io.stampedeguard.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Ends the leases of loads that are over, whether or not the thread is interrupted. A lease that may still be held, because the
 * store did not answer, is released in the background.
 *
 * <p>Remembers what is assumed of a key while the store does not answer requests for its lease:
 * <ul>
 *   <li>it is still held, until {@code leaseTtl} has passed since the store said so: the holder may have renewed its lease just
 *       before the store stalled;
 *   <li>it still cools down, for as long as the store said, or as a load that failed in this process requires.
 * </ul>
 * A load that failed under a lease, and whose mark the store has refused, cools down in this process even if the store grants the
 * next lease. Beyond a number of keys the oldest answers are dropped.
 *
 * <p>Remembers as well when this process has changed keys: where no store compares that with the time as of which a value was read,
 * this does. <em>Thread-safe.</em>
 */
public final class LeaseEnds {
    private static final int MOST_ATTEMPTS = 2;
    private static final int MOST_KEYS = 100_000;
    private static final int STRIPES = 1 << 10;

    private final Cache<String, Known> last;

    /** When a key of each stripe was changed here for the last time, by the wall clock; never earlier than before. */
    private final AtomicLongArray changedMillis = new AtomicLongArray(STRIPES);

    private final ObservedStore store;
    private final CachePolicy policy;
    private final CoolDown coolDown;
    private final long leaseNanos;
    private final TimeSource time;
    private final CacheEvents events;
    private final LeaseRenewer renewer;
    private final BackgroundTasks tasks;

    public LeaseEnds(CacheContext context, ObservedStore store, LeaseRenewer renewer, BackgroundTasks tasks) {
        Duration leaseTtl = context.policy().leaseTtl();
        Duration rowRemembered = context.policy().maxCoolDown().multipliedBy(2);
        this.store = store;
        this.renewer = renewer;
        this.policy = context.policy();
        this.coolDown = new CoolDown(policy);
        this.leaseNanos = leaseTtl.toNanos();
        this.time = context.time();
        this.events = context.events();
        this.tasks = tasks;
        this.last = Caffeine.newBuilder()
                .maximumSize(MOST_KEYS)
                .expireAfterWrite(leaseTtl.compareTo(rowRemembered) > 0 ? leaseTtl : rowRemembered)
                .ticker(time::monotonicNanos)
                .executor(Runnable::run)
                .build();
    }

    /**
     * An answer, until when it is assumed, and the number of loads that failed in a row of which the store does not know; {@code
     * isUntaken} if it gave a lease for the last of them, and has refused its mark.
     */
    private record Known(LeaseAttempt answer, long untilNanos, int failures, boolean isUntaken) {}

    /** Notes an answer of the store; returns the one that counts: a cool-down whose mark the store has refused replaces a lease. */
    LeaseAttempt note(String storeKey, LeaseAttempt answer) {
        if (answer instanceof LeaseAttempt.Held) {
            Known held = new Known(answer, time.monotonicNanos() + leaseNanos, 0, false);
            last.asMap()
                    .compute(storeKey, (same, known) -> isUntaken(known) ? known : held); // perhaps not given back yet
        } else if (answer instanceof LeaseAttempt.Failed failed) {
            long until = time.monotonicNanos() + failed.remaining().toNanos();
            last.put(storeKey, new Known(answer, until, 0, false));
        } else if (!last.asMap().isEmpty()) {
            boolean isGranted = answer instanceof LeaseAttempt.Granted;
            Known kept = last.asMap()
                    .computeIfPresent(storeKey, (same, known) -> isGranted && isUntaken(known) ? known : null);
            LeaseAttempt coolsDown = assumed(kept);
            return coolsDown == null ? answer : coolsDown;
        }
        return answer;
    }

    private static boolean isUntaken(@Nullable Known known) {
        return known != null && known.isUntaken;
    }

    /** Returns what is to be assumed of a key for which the store gives no answer; {@code null} if nothing is known. */
    @Nullable
    LeaseAttempt assumed(String storeKey) {
        return assumed(last.getIfPresent(storeKey));
    }

    private @Nullable LeaseAttempt assumed(@Nullable Known known) {
        long left = known == null ? 0 : known.untilNanos - time.monotonicNanos();
        if (known == null || left <= 0) {
            return null;
        }
        Duration remaining = Duration.ofNanos(left);
        return known.answer instanceof LeaseAttempt.Failed failed
                ? new LeaseAttempt.Failed(failed.failure(), remaining, failed.failures())
                : new LeaseAttempt.Held(((LeaseAttempt.Held) known.answer).holder(), remaining);
    }

    private boolean isHeld(@Nullable Known known) {
        return known != null
                && known.answer instanceof LeaseAttempt.Held
                && known.untilNanos - time.monotonicNanos() > 0;
    }

    /** Notes that this process changes a key now: before its copies are outdated, so that a later load without a lease is compared. */
    public void changed(String storeKey) {
        changedMillis.accumulateAndGet(storeKey.hashCode() & (STRIPES - 1), time.wallMillis(), Math::max);
    }

    /** Notes that this process changes all keys now, or any of them. */
    public void changedAll() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            changedMillis.accumulateAndGet(stripe, time.wallMillis(), Math::max);
        }
    }

    /**
     * Returns whether this process has changed a key, or perhaps another one, at a time or later; also if that time is not over, or
     * longer ago than changes are remembered. A {@code null} instant stands for the present.
     */
    public boolean isChangedSince(@Nullable Instant instant, String storeKey) {
        long age = instant == null ? 0 : time.wallMillis() - instant.toEpochMilli();
        return instant != null
                && (changedMillis.get(storeKey.hashCode() & (STRIPES - 1)) >= instant.toEpochMilli()
                        || age < 0
                        || age >= policy.changeMemory().toMillis());
    }

    /** Notes that nothing may be assumed any more: the key was changed. */
    public void forget(String storeKey) {
        last.invalidate(storeKey);
    }

    /** Notes that nothing may be assumed of any key. */
    public void forgetAll() {
        last.invalidateAll();
    }

    /**
     * Notes that a key was loaded: it does not cool down in this process any more. If that was without a lease, another process may
     * hold one nevertheless.
     */
    public void loaded(String storeKey) {
        if (!last.asMap().isEmpty()) {
            last.asMap().computeIfPresent(storeKey, (same, known) -> isHeld(known) ? known : null);
        }
    }

    /**
     * Ends leases; returns whether each end was made, without those that the store did not answer. One lost answer must not cost a
     * value, so the request is sent once more to a store that is not down. If the store refuses ends, {@code otherwise} returns
     * what is requested in their place, or the same ends.
     */
    public Map<HeldLease, Boolean> end(
            Map<HeldLease, LeaseEnd> ends, UnaryOperator<Map<HeldLease, LeaseEnd>> otherwise) {
        if (ends.isEmpty()) {
            return Map.of();
        }
        renewer.ending(ends.keySet());
        Map<HeldLease, Boolean> answers = new HashMap<>();
        Map<HeldLease, LeaseEnd> open = ends;
        try {
            for (int attempts = 0; attempts < MOST_ATTEMPTS; ) {
                boolean isRefused = send(open, answers);
                open = without(answers, open);
                if (open.isEmpty()) {
                    break;
                }
                Map<HeldLease, LeaseEnd> next = isRefused ? otherwise.apply(open) : open;
                attempts = store.isKnownDown() ? MOST_ATTEMPTS : next.equals(open) ? attempts + 1 : attempts;
                open = next;
            }
        } finally { // whatever was thrown, the lease ends by itself
            for (HeldLease lease : ends.keySet()) {
                renewer.letGo(lease);
            }
        }
        if (!open.isEmpty()) {
            giveBack(List.copyOf(open.keySet()));
        }
        if (!answers.isEmpty() && !open.isEmpty()) {
            events.unanswered(open.size(), ends.size());
        }
        return answers;
    }

    private static Map<HeldLease, LeaseEnd> without(Map<HeldLease, Boolean> answers, Map<HeldLease, LeaseEnd> ends) {
        if (answers.keySet().containsAll(ends.keySet())) {
            return Map.of();
        }
        Map<HeldLease, LeaseEnd> unanswered = new LinkedHashMap<>(ends);
        unanswered.keySet().removeAll(answers.keySet());
        return unanswered;
    }

    /** Sends ends, and adds the answers to those before; returns whether the store has refused them. */
    private boolean send(Map<HeldLease, LeaseEnd> ends, Map<HeldLease, Boolean> answers) {
        boolean interrupted = Thread.interrupted();
        try {
            answers.putAll(store.end(ends));
            return false;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return e.isRefusal();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the policy lets keys cool down after a failure of their loader; also if its predicate throws. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public <K, V> boolean coolsDownAfter(Throwable cause, List<KeyRequest<K, V>> targets) {
        try {
            return !policy.failureCoolDown().isZero() && policy.coolDownOn().test(cause);
        } catch (Throwable e) {
            if (Thrown.isFatal(e)) {
                giveBack(KeyRequest.leasesOf(targets));
            }
            Thrown.rethrowFatal(e);
            String key = KeyEncoder.shown(targets.get(0).storeKey());
            events.fault(
                    FaultSource.LOADER, e, "the predicate of coolDownOn has failed for " + key + ", which cools down");
            return true;
        }
    }

    /** Lets keys cool down whose load has failed: in the store, or in this process only if the store did not answer. */
    public <K, V> void fail(List<KeyRequest<K, V>> targets, Function<KeyRequest<K, V>, FailureText> failure) {
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>();
        Set<HeldLease> reported = new HashSet<>();
        for (KeyRequest<K, V> target : targets) {
            HeldLease lease = target.lease();
            if (lease == null && target.lookup().storeAnswers()) {
                continue; // its results are not stored, nor are its failures
            }
            LeaseEnd.Fail mark = coolDown.after(failure.apply(target), failuresBefore(target) + 1);
            if (mark != null && target.certainLease() == null) {
                noteFailure(target.storeKey(), mark, false);
            }
            if (lease != null) {
                ends.put(lease, mark == null ? new LeaseEnd.Abandon() : mark);
                if (target.certainLease() == null) {
                    reported.add(lease);
                }
            }
        }
        Set<HeldLease> refused = new HashSet<>();
        Map<HeldLease, Boolean> made = end(ends, open -> {
            refused.addAll(open.keySet());
            return open;
        });
        ends.forEach((lease, end) -> {
            Boolean isStored = made.get(lease);
            if (end instanceof LeaseEnd.Fail mark && !reported.contains(lease) && !Boolean.FALSE.equals(isStored)) {
                noteFailure(lease.key(), mark, isStored == null && refused.contains(lease));
            }
        });
    }

    /**
     * Notes the failure of a load, also if its mark is stored: the store may not answer the next request, or refuse it. {@code
     * isUntaken}: under a lease whose mark the store has refused.
     */
    private void noteFailure(String storeKey, LeaseEnd.Fail mark, boolean isUntaken) {
        long length = mark.coolDown().toNanos();
        LeaseAttempt answer = new LeaseAttempt.Failed(mark.failure(), mark.coolDown(), mark.inARow());
        Known failed = new Known(answer, time.monotonicNanos() + length, mark.inARow(), isUntaken);
        last.asMap().compute(storeKey, (same, known) -> isHeld(known) && !isUntaken ? known : failed);
        events.report(EventType.COOL_DOWN, length);
    }

    /** A row of failures may be longer than the store knows. */
    private int failuresBefore(KeyRequest<?, ?> target) {
        Known known = last.getIfPresent(target.storeKey());
        int here = known == null ? 0 : known.failures;
        return target.certainLease() == null ? here : Math.max(here, target.failuresBefore());
    }

    /** Releases leases with nothing stored. Blocks for the call of the store. */
    public void abandon(List<HeldLease> leases) {
        end(abandoned(leases), UnaryOperator.identity());
    }

    private static Map<HeldLease, LeaseEnd> abandoned(List<HeldLease> leases) {
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>();
        leases.forEach(lease -> ends.put(lease, new LeaseEnd.Abandon()));
        return ends;
    }

    /** Releases leases that may be held and are not needed. Does not block, unless the cache was closed meanwhile. */
    public void giveBack(List<HeldLease> leases) {
        if (leases.isEmpty()) {
            return;
        }
        leases.forEach(renewer::letGo);
        if (!tasks.run(() -> release(leases)) && tasks.isClosed()) {
            release(leases); // this thread was interrupted by the close, and nobody waits for it
        }
    }

    private void release(List<HeldLease> leases) {
        send(abandoned(leases), new HashMap<>());
    }

    /**
     * The cool-down of a key after failed loads: the policy's first length, doubled with each further failure in
     * a row, up to its longest. The row is remembered for that longest length after a cool-down is over. <em>Immutable.</em>
     */
    static final class CoolDown {
        private static final int MOST_DOUBLINGS = 32;

        private final Duration first;
        private final Duration longest;

        CoolDown(CachePolicy policy) {
            this.first = policy.failureCoolDown();
            this.longest = policy.maxCoolDown();
        }

        /** Returns what the store is to remember; {@code null} if there are no cool-downs. */
        public LeaseEnd.@Nullable Fail after(FailureText failure, int failuresInARow) {
            Duration coolDown = length(failuresInARow);
            return coolDown.isZero() ? null : new LeaseEnd.Fail(failure.encode(), failuresInARow, coolDown, longest);
        }

        Duration length(int failuresInARow) {
            double millis = Math.scalb((double) first.toMillis(), Math.min(failuresInARow - 1, MOST_DOUBLINGS));
            return Duration.ofMillis((long) Math.min(millis, (double) longest.toMillis()));
        }
    }
}
