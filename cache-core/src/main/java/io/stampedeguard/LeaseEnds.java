package io.stampedeguard;

import io.stampedeguard.entry.FailureText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the leases of loads that are over, whether or not the thread is interrupted. A lease that may still be held when the
 * store fails to answer is given back by an errand. <em>Thread-safe.</em>
 */
final class LeaseEnds {
    private final SharedStore store;
    private final CoolDown coolDown;
    private final CacheEvents events;
    private final Errands errands;

    LeaseEnds(CacheParts<?, ?> parts, Errands errands) {
        this.store = parts.store();
        this.coolDown = new CoolDown(parts.policy());
        this.events = parts.events();
        this.errands = errands;
    }

    /** Asks the store a question that ends a lease; {@code null} if it does not answer. */
    @Nullable
    Boolean ask(HeldLease lease, BooleanSupplier question) {
        return askAll(List.of(lease), () -> Map.of(lease.key(), question.getAsBoolean()))
                .get(lease.key());
    }

    /** As {@link #ask}, for many keys; those that the store does not answer for are missing. */
    Map<String, Boolean> askAll(Collection<HeldLease> leases, Supplier<Map<String, Boolean>> question) {
        Map<String, Boolean> answers = put(question);
        List<HeldLease> unanswered = new ArrayList<>();
        for (HeldLease lease : leases) {
            if (!answers.containsKey(lease.key())) {
                unanswered.add(lease);
            }
        }
        if (!unanswered.isEmpty()) {
            giveBack(unanswered);
        }
        if (!answers.isEmpty() && !unanswered.isEmpty()) {
            events.unanswered(unanswered.size(), leases.size());
        }
        return answers;
    }

    private Map<String, Boolean> put(Supplier<Map<String, Boolean>> question) {
        boolean interrupted = Thread.interrupted();
        try {
            return question.get();
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets keys cool down whose load has failed. */
    <K, V> void fail(List<Target<K, V>> targets, Function<Target<K, V>, FailureText> failure) {
        Map<HeldLease, FailedLoad> failed = new LinkedHashMap<>();
        List<HeldLease> free = new ArrayList<>();
        for (Target<K, V> target : targets) {
            Lease lease = target.lease();
            if (lease != null) {
                HeldLease held = new HeldLease(target.storeKey(), lease.token());
                FailedLoad mark = coolDown.after(failure.apply(target), lease.failuresBefore() + 1);
                if (mark == null) {
                    free.add(held);
                } else {
                    failed.put(held, mark);
                }
            }
        }
        fail(failed);
        abandon(free);
    }

    private void fail(Map<HeldLease, FailedLoad> failed) {
        if (failed.size() > 1) {
            Map<String, Boolean> done = askAll(failed.keySet(), () -> store.failAll(failed));
            failed.forEach((lease, mark) -> tell(done.get(lease.key()), mark));
        } else {
            failed.forEach((lease, mark) -> tell(ask(lease, () -> store.fail(lease.key(), lease.token(), mark)), mark));
        }
    }

    private void tell(@Nullable Boolean coolsDown, FailedLoad mark) {
        if (Boolean.TRUE.equals(coolsDown)) {
            events.coolDown(mark.coolDown().toMillis());
        }
    }

    /** Gives leases back with nothing stored; tells of which the store says that they were held to the end. */
    Map<String, Boolean> abandon(List<HeldLease> leases) {
        return leases.isEmpty() ? Map.of() : askAll(leases, () -> abandonNow(leases));
    }

    /** Gives leases back that may be held and that nobody needs. Does not block. */
    void giveBack(List<HeldLease> leases) {
        errands.run(() -> {
            try {
                abandonNow(leases);
            } catch (StoreException e) {
                events.fault(FaultSource.STORE, e);
            }
        });
    }

    private Map<String, Boolean> abandonNow(List<HeldLease> leases) {
        HeldLease first = leases.get(0);
        return leases.size() == 1
                ? Map.of(first.key(), store.abandon(first.key(), first.token()))
                : store.abandonAll(leases);
    }
}
