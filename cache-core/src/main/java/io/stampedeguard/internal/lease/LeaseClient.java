package io.stampedeguard.internal.lease;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.lease.KeyRequest.Lease;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests leases from the store, for one key or for many, and decides what no answer means:
 * <ol>
 *   <li>a key that another process held a moment ago counts as held, and one that cools down is not loaded ({@link LastAnswers}),
 *       unless a change of it is queued: then what that process loads is older than the change;
 *   <li>if the store is known to be down ({@link ObservedStore#isKnownDown}) and has not answered the read either, no request is sent;
 *   <li>otherwise the request is sent a second time: one lost answer is no reason for a second load. Many leases are requested
 *       in portions, and renewed from their grant on, so that the first live until the last are granted;
 *   <li>without an answer to that either, the leader loads without a lease;
 *   <li>a lease is given back if the key cools down, and the store has refused the mark of that.
 * </ol>
 *
 * <p>A part of the store that does not answer delays the answers of the others, and so does decoding what was found; a thread may
 * wait for a processor. Leases that grow old meanwhile are renewed before the load begins; if they are lost, they are requested again, or not in the background. A
 * lease that may have been granted by a request without an answer is released. <em>Thread-safe.</em>
 */
public final class LeaseClient<K, V> {
    private static final int MOST_UNANSWERED = 2;
    private static final Answer UNANSWERED = new Answer(null, null, false);
    private static final Answer NOT_CACHEABLE = new Answer(null, null, true);

    private final ObservedStore store;
    private final LastAnswers lastAnswers;
    private final Duration leaseTtl;
    private final LeaseEnds leases;
    private final LeaseRenewer renewer;
    private final TimeSource time;
    private final CacheEvents events;

    public LeaseClient(
            CacheContext context,
            ObservedStore store,
            LeaseEnds leases,
            LastAnswers lastAnswers,
            LeaseRenewer renewer) {
        this.store = store;
        this.leaseTtl = context.policy().leaseTtl();
        this.lastAnswers = lastAnswers;
        this.leases = leases;
        this.renewer = renewer;
        this.time = context.time();
        this.events = context.events();
    }

    /**
     * The next step of a leader: load under a lease, or without one ({@code null}); or the answer that replaces a load. {@code
     * isAnswered}: by the store, not assumed.
     */
    public record Answer(@Nullable Lease lease, @Nullable LeaseAttempt instead, boolean isAnswered) {
        /** Returns whether the store has granted a lease. */
        public boolean isGranted() {
            return lease != null && lease.certain();
        }

        /** Returns why a key with this answer is to be loaded without a lease; {@code null} if it is not. */
        public @Nullable EventType unleased(KeyRequest<?, ?> load) {
            if (instead != null || isGranted()) {
                return null;
            }
            if (isAnswered) {
                return EventType.UNLEASED_NOT_CACHEABLE;
            }
            if (lease == null) {
                return EventType.UNLEASED_STORE_DOWN;
            }
            return load.isRefused() ? EventType.UNLEASED_REFUSED : EventType.UNLEASED_UNANSWERED;
        }
    }

    /**
     * Requests leases, in one call of the store: each request then has its answer. Throws a {@link WaitInterruptedException} if this
     * thread was interrupted meanwhile, and the store did not answer for all keys; and a {@link WaitTimeoutException} if no
     * connection to the store became free within the deadline.
     */
    public void requestAll(List<KeyRequest<K, V>> loads, Deadline deadline) {
        List<KeyRequest<K, V>> open = new ArrayList<>(loads.size());
        for (KeyRequest<K, V> load : loads) {
            boolean isPointless = !load.look().storeAnswers() && store.isKnownDown();
            if (!isPointless || assumed(load) instanceof LeaseAttempt.Held) {
                load.answer(null);
                open.add(load);
            } else {
                load.answer(withoutRequest(load));
            }
        }
        try {
            askUntilAnswered(open, deadline);
            askUntilAnswered(lostMeanwhile(open), deadline);
        } catch (RuntimeException | Error e) { // no connection, an interrupt, or no memory for a timer
            giveBackAll(open);
            throw e;
        }
    }

    private Answer withoutRequest(KeyRequest<K, V> load) {
        LeaseAttempt assumed = assumed(load);
        return assumed == null ? UNANSWERED : new Answer(null, assumed, false);
    }

    private @Nullable LeaseAttempt assumed(KeyRequest<K, V> load) {
        LeaseAttempt known = lastAnswers.assumed(load.storeKey());
        return known instanceof LeaseAttempt.Held && store.pending().contains(load.storeKey()) ? null : known;
    }

    /** Releases leases that were granted, or may have been. Does not block. */
    public void giveBackAll(List<KeyRequest<K, V>> loads) {
        List<HeldLease> held = new ArrayList<>();
        for (KeyRequest<K, V> load : loads) {
            Lease lease = load.lease();
            if (lease != null) {
                held.add(lease.held());
            }
        }
        leases.giveBack(held);
    }

    private void askUntilAnswered(List<KeyRequest<K, V>> all, Deadline deadline) {
        List<KeyRequest<K, V>> open = all;
        while (!open.isEmpty()) {
            List<List<KeyRequest<K, V>>> portions = LeaseRenewer.portions(open);
            open = ask(portions.get(0), deadline);
            for (List<KeyRequest<K, V>> portion : portions.subList(1, portions.size())) {
                if (store.isKnownDown()) { // since one of those before
                    portion.forEach(load -> load.answer(withoutRequest(load)));
                } else {
                    open.addAll(ask(portion, deadline));
                }
            }
        }
    }

    /**
     * Returns those to be requested again: their leases have ended before this thread had the answers for all of them, or had decoded
     * those of others, which may take longer than a lease lives. Leases that grew old meanwhile, and are still held, are renewed.
     */
    public List<KeyRequest<K, V>> lostMeanwhile(List<KeyRequest<K, V>> all) {
        Map<HeldLease, KeyRequest<K, V>> old = Map.of();
        for (KeyRequest<K, V> load : all) {
            Lease lease = load.lease();
            if (lease != null && lease.certain() && isOld(lease)) {
                old = old.isEmpty() ? new LinkedHashMap<>() : old;
                old.put(lease.held(), load);
            }
        }
        return old.isEmpty() ? List.of() : lost(old);
    }

    private boolean isOld(Lease lease) {
        return time.monotonicNanos() - lease.askedNanos() >= leaseTtl.toNanos() / 2;
    }

    /** Renews leases; returns those that have ended, with new tokens, and without an answer. */
    private List<KeyRequest<K, V>> lost(Map<HeldLease, KeyRequest<K, V>> old) {
        List<KeyRequest<K, V>> lost = new ArrayList<>();
        for (HeldLease lease : renewer.renewNow(old.keySet())) {
            KeyRequest<K, V> load = requireNonNull(old.get(lease));
            if (renewer.letGo(lease)) { // otherwise it was reported
                events.report(EventType.LEASE_LOST);
            }
            load.renewToken();
            load.answer(null);
            lost.add(load);
        }
        return lost;
    }

    /** Sends one request; returns those that need another one. */
    private List<KeyRequest<K, V>> ask(List<KeyRequest<K, V>> open, Deadline deadline) {
        long asked = time.monotonicNanos();
        Map<String, LeaseAttempt> attempts = attempts(open, deadline.remaining());
        checkNotCutOff(open, attempts);
        List<KeyRequest<K, V>> again = new ArrayList<>();
        List<HeldLease> left = new ArrayList<>();
        for (KeyRequest<K, V> load : open) {
            LeaseAttempt attempt = attempts.get(load.storeKey());
            events.report(outcomeOf(attempt));
            LeaseAttempt coolDown =
                    attempt instanceof LeaseAttempt.Granted ? lastAnswers.untakenCoolDown(load.storeKey()) : null;
            if (coolDown != null) {
                load.answered();
                left.add(load.renewToken());
                load.answer(new Answer(null, coolDown, true));
                continue;
            }
            if (attempt != null) {
                Answer answer = answered(load, attempt, asked);
                load.answer(answer);
                if (answer.lease() != null) {
                    renewer.keep(answer.lease()); // the answers for others may take longer than it lives
                }
                continue;
            }
            LeaseAttempt assumed = assumed(load);
            boolean isLast = load.countUnanswered() >= MOST_UNANSWERED || store.isKnownDown();
            if (assumed == null && isLast) {
                load.answer(new Answer(load.lease(0, asked, false), null, false));
                continue;
            }
            left.add(load.renewToken());
            if (assumed == null) {
                again.add(load);
            } else {
                load.answer(new Answer(null, assumed, false));
            }
        }
        if (!left.isEmpty()) {
            leases.giveBack(left);
        }
        return again;
    }

    private Map<String, LeaseAttempt> attempts(List<KeyRequest<K, V>> loads, Duration patience) {
        try {
            List<LeaseRequest> requests = new ArrayList<>(loads.size());
            for (KeyRequest<K, V> load : loads) {
                requests.add(load.request());
            }
            Map<String, LeaseAttempt> attempts = store.lease(requests, leaseTtl, patience);
            if (attempts.size() < requests.size()) {
                events.unanswered(requests.size() - attempts.size(), requests.size());
            }
            return attempts;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            if (e.isShortage()) {
                throw Failures.noConnection(loads.get(0).storeKey(), e);
            }
            loads.forEach(load -> load.unanswered(e.isRefusal()));
            return Map.of();
        }
    }

    private void checkNotCutOff(List<KeyRequest<K, V>> loads, Map<String, LeaseAttempt> attempts) {
        if (attempts.size() < loads.size() && Thread.currentThread().isInterrupted()) {
            loads.forEach(load -> events.report(outcomeOf(attempts.get(load.storeKey()))));
            leases.giveBack(loads.stream().map(KeyRequest::renewToken).toList());
            throw Failures.interrupted(loads.get(0).storeKey(), new InterruptedException("while the store was asked"));
        }
    }

    private Answer answered(KeyRequest<K, V> load, LeaseAttempt attempt, long asked) {
        load.answered();
        lastAnswers.note(load.storeKey(), attempt, time.monotonicNanos());
        if (attempt instanceof LeaseAttempt.NotCacheable) {
            return NOT_CACHEABLE;
        }
        return attempt instanceof LeaseAttempt.Granted granted
                ? new Answer(load.lease(granted.failuresBefore(), asked, true), null, true)
                : new Answer(null, attempt, true);
    }

    private static EventType outcomeOf(@Nullable LeaseAttempt attempt) {
        if (attempt == null) {
            return EventType.LEASE_UNAVAILABLE;
        }
        if (attempt instanceof LeaseAttempt.Granted) {
            return EventType.LEASE_GRANTED;
        }
        if (attempt instanceof LeaseAttempt.Found) {
            return EventType.LEASE_FOUND;
        }
        if (attempt instanceof LeaseAttempt.NotCacheable) {
            return EventType.LEASE_NOT_CACHEABLE;
        }
        return attempt instanceof LeaseAttempt.Held ? EventType.LEASE_HELD : EventType.LEASE_COOLING;
    }
}
