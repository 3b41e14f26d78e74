package io.stampedeguard.internal.lease;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.lease.KeyLoad.Lease;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.thread.Errands;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.store.UnstoredResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the leases of loads that are over, whether or not the thread is interrupted. A lease that may still be held, because the
 * store did not answer, is released in the background. <em>Thread-safe.</em>
 */
public final class LeaseEnds {
    private final ObservedStore store;
    private final CoolDown coolDown;
    private final LastAnswers lastAnswers;
    private final CacheEvents events;
    private final LeaseRenewer renewer;
    private final Errands errands;

    public LeaseEnds(
            CacheContext context, ObservedStore store, LastAnswers lastAnswers, LeaseRenewer renewer, Errands errands) {
        this.store = store;
        this.renewer = renewer;
        this.lastAnswers = lastAnswers;
        this.coolDown = new CoolDown(context.policy());
        this.events = context.events();
        this.errands = errands;
    }

    /** Sends the request that ends a lease; returns {@code null} if the store does not answer. */
    public @Nullable Boolean ask(HeldLease lease, BooleanSupplier question) {
        return requestAll(List.of(lease), open -> Map.of(lease.key(), question.getAsBoolean()))
                .get(lease.key());
    }

    /**
     * Otherwise identical to {@link #ask}, for many keys; those without an answer are missing in the result. One lost answer must
     * not cost a value, so the request is sent once more to a store that is not down. It has to be idempotent.
     */
    public Map<String, Boolean> requestAll(
            Collection<HeldLease> leases, Function<Collection<HeldLease>, Map<String, Boolean>> question) {
        if (leases.isEmpty()) {
            return Map.of();
        }
        renewer.ending(leases);
        Map<String, Boolean> answers = new HashMap<>(put(leases, question));
        List<HeldLease> unanswered = withoutAnswer(leases, answers);
        if (!unanswered.isEmpty() && !store.isKnownDown()) {
            answers.putAll(put(unanswered, question));
            unanswered = withoutAnswer(unanswered, answers);
        }
        leases.forEach(renewer::letGo);
        if (!unanswered.isEmpty()) {
            giveBack(unanswered);
        }
        if (!answers.isEmpty() && !unanswered.isEmpty()) {
            events.unanswered(unanswered.size(), leases.size());
        }
        return answers;
    }

    private static List<HeldLease> withoutAnswer(Collection<HeldLease> leases, Map<String, Boolean> answers) {
        List<HeldLease> open = List.of();
        for (HeldLease lease : leases) {
            if (!answers.containsKey(lease.key())) {
                open = open.isEmpty() ? new ArrayList<>() : open;
                open.add(lease);
            }
        }
        return open;
    }

    private Map<String, Boolean> put(
            Collection<HeldLease> leases, Function<Collection<HeldLease>, Map<String, Boolean>> question) {
        boolean interrupted = Thread.interrupted();
        try {
            return question.apply(leases);
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
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
    public <K, V> void fail(List<KeyLoad<K, V>> targets, Function<KeyLoad<K, V>, FailureText> failure) {
        Map<HeldLease, FailedLoad> failed = new LinkedHashMap<>();
        Set<HeldLease> reported = new HashSet<>();
        List<HeldLease> free = new ArrayList<>();
        for (KeyLoad<K, V> target : targets) {
            Lease lease = target.lease();
            if (lease == null && target.look().storeAnswers()) {
                continue; // its results are not stored, nor are its failures
            }
            FailedLoad mark = coolDown.after(failure.apply(target), failuresBefore(target) + 1);
            if (mark != null && target.certainLease() == null) {
                lastAnswers.failed(target.storeKey(), mark);
                events.coolDown(mark.coolDown().toMillis());
            }
            if (lease != null) {
                HeldLease held = lease.of(target.storeKey());
                if (mark == null) {
                    free.add(held);
                } else {
                    failed.put(held, mark);
                }
                if (!lease.certain()) {
                    reported.add(held);
                }
            }
        }
        fail(failed, reported);
        abandon(free);
    }

    private int failuresBefore(KeyLoad<?, ?> target) {
        Lease lease = target.lease();
        int here = lastAnswers.failures(target.storeKey());
        return lease != null && lease.certain() ? Math.max(here, lease.failuresBefore()) : here;
    }

    private void fail(Map<HeldLease, FailedLoad> failed, Set<HeldLease> reported) {
        Set<HeldLease> refused = new HashSet<>();
        Map<String, Boolean> done = requestAll(
                failed.keySet(),
                open -> reportingRefusals(() -> store.failAll(of(failed, open)), () -> refused.addAll(open)));
        failed.forEach((lease, mark) -> {
            Boolean isStored = done.get(lease.key());
            if (reported.contains(lease) || Boolean.FALSE.equals(isStored)) {
                return;
            }
            if (isStored == null && refused.contains(lease)) {
                lastAnswers.failedUnderLease(lease.key(), mark);
            } else { // also if it is stored: the store may not answer the next request, or refuse it
                lastAnswers.failed(lease.key(), mark);
            }
            events.coolDown(mark.coolDown().toMillis());
        });
    }

    /** Releases leases whose results are not stored; returns for each key whether its lease was held to the end. */
    public Map<String, Boolean> pass(Map<HeldLease, UnstoredResult> results) {
        return requestAll(results.keySet(), open -> store.passAll(of(results, open)));
    }

    /** Publishes entries; returns for each key whether its lease was held to the end. Calls {@code ifRefused} at each refusal. */
    public Map<String, Boolean> publish(Map<HeldLease, NewEntry> entries, Runnable ifRefused) {
        return requestAll(
                entries.keySet(),
                open -> reportingRefusals(
                        () -> store.publishAll(of(entries, open).values()), ifRefused));
    }

    private static <T> T reportingRefusals(Supplier<T> question, Runnable ifRefused) {
        try {
            return question.get();
        } catch (StoreException e) {
            if (e.isRefusal()) {
                ifRefused.run();
            }
            throw e;
        }
    }

    private static <T> Map<HeldLease, T> of(Map<HeldLease, T> all, Collection<HeldLease> some) {
        if (some.size() == all.size()) {
            return all;
        }
        Map<HeldLease, T> chosen = new LinkedHashMap<>(all);
        chosen.keySet().retainAll(some);
        return chosen;
    }

    /** Releases leases with nothing stored; returns for each key whether its lease was held to the end. */
    public Map<String, Boolean> abandon(List<HeldLease> leases) {
        return requestAll(leases, store::abandonAll);
    }

    /** Releases leases that may be held and are not needed. Does not block. */
    public void giveBack(List<HeldLease> leases) {
        if (leases.isEmpty()) {
            return;
        }
        leases.forEach(renewer::letGo);
        errands.run(() -> {
            try {
                store.abandonAll(leases);
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
            this.first = policy.initialCoolDown();
            this.longest = policy.maxCoolDown();
        }

        /** Returns what the store is to remember; {@code null} if there are no cool-downs. */
        public @Nullable FailedLoad after(FailureText failure, int failuresInARow) {
            Duration coolDown = length(failuresInARow);
            return coolDown.isZero() ? null : new FailedLoad(failure.encode(), failuresInARow, coolDown, longest);
        }

        Duration length(int failuresInARow) {
            double millis = Math.scalb((double) first.toMillis(), Math.min(failuresInARow - 1, MOST_DOUBLINGS));
            return Duration.ofMillis((long) Math.min(millis, (double) longest.toMillis()));
        }
    }
}
