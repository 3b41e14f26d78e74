package io.stampedeguard.internal.lease;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.lease.KeyRequest.Lease;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Ends the leases of loads that are over, whether or not the thread is interrupted. A lease that may still be held, because the
 * store did not answer, is released in the background. <em>Thread-safe.</em>
 */
public final class LeaseEnds {
    private static final int MOST_ATTEMPTS = 2;

    private final ObservedStore store;
    private final CoolDown coolDown;
    private final LastAnswers lastAnswers;
    private final CacheEvents events;
    private final LeaseRenewer renewer;
    private final BackgroundTasks tasks;

    public LeaseEnds(
            CacheContext context,
            ObservedStore store,
            LastAnswers lastAnswers,
            LeaseRenewer renewer,
            BackgroundTasks tasks) {
        this.store = store;
        this.renewer = renewer;
        this.lastAnswers = lastAnswers;
        this.coolDown = new CoolDown(context.policy());
        this.events = context.events();
        this.tasks = tasks;
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
            for (int attempts = 0; attempts < MOST_ATTEMPTS && !open.isEmpty(); ) {
                boolean isRefused = send(open, answers);
                open = without(answers, open);
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

    /** Notes that a key was loaded: it does not cool down in this process any more. */
    public void loaded(String storeKey) {
        lastAnswers.loaded(storeKey);
    }

    /** Lets keys cool down whose load has failed: in the store, or in this process only if the store did not answer. */
    public <K, V> void fail(List<KeyRequest<K, V>> targets, Function<KeyRequest<K, V>, FailureText> failure) {
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>();
        Set<HeldLease> reported = new HashSet<>();
        for (KeyRequest<K, V> target : targets) {
            Lease lease = target.lease();
            if (lease == null && target.look().storeAnswers()) {
                continue; // its results are not stored, nor are its failures
            }
            LeaseEnd.Fail mark = coolDown.after(failure.apply(target), failuresBefore(target) + 1);
            if (mark != null && target.certainLease() == null) {
                lastAnswers.failed(target.storeKey(), mark);
                events.coolDown(mark.coolDown().toMillis());
            }
            if (lease != null) {
                HeldLease held = lease.held();
                ends.put(held, mark == null ? new LeaseEnd.Abandon() : mark);
                if (!lease.certain()) {
                    reported.add(held);
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
                failed(lease.key(), mark, isStored == null && refused.contains(lease));
            }
        });
    }

    private void failed(String storeKey, LeaseEnd.Fail mark, boolean isRefused) {
        if (isRefused) {
            lastAnswers.failedUnderLease(storeKey, mark);
        } else { // also if it is stored: the store may not answer the next request, or refuse it
            lastAnswers.failed(storeKey, mark);
        }
        events.coolDown(mark.coolDown().toMillis());
    }

    private int failuresBefore(KeyRequest<?, ?> target) {
        Lease lease = target.lease();
        int here = lastAnswers.failures(target.storeKey());
        return lease != null && lease.certain() ? Math.max(here, lease.failuresBefore()) : here;
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

    /** Releases leases that may be held and are not needed. Does not block. */
    public void giveBack(List<HeldLease> leases) {
        if (leases.isEmpty()) {
            return;
        }
        leases.forEach(renewer::letGo);
        tasks.run(() -> {
            try {
                store.end(abandoned(leases));
            } catch (StoreException e) {
                events.fault(FaultSource.STORE, e);
            }
        });
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
