package io.stampedeguard.internal.lease;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
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
 *   <li>a key that another process held a moment ago counts as held, and one that cools down is not loaded ({@link LeaseEnds}),
 *       unless a change of it is queued: then what that process loads is older than the change;
 *   <li>if the store is known to be down ({@link ObservedStore#isKnownDown}) and has not answered the read either, no request is sent;
 *   <li>otherwise the request is sent a second time: one lost answer is no reason for a second load. Many leases are requested
 *       in portions, and renewed from their grant on, so that the first live until the last are granted;
 *   <li>without an answer to that either, the leader loads without a lease;
 *   <li>a lease is given back if the key cools down, and the store has refused the mark of that.
 * </ol>
 *
 * <p>A part of the store that does not answer delays the answers of the others, and so does decoding what was found; a thread may
 * wait for a processor. Leases that grow old meanwhile are renewed before the load begins; if they are lost, they are requested
 * again, or not in the background. A lease that may have been granted by a request without an answer is released.
 * <em>Thread-safe.</em>
 */
public final class LeaseClient<K, V> {
    private static final int MOST_UNANSWERED = 2;

    private final ObservedStore store;
    private final Duration leaseTtl;
    private final Duration fenceTtl;
    private final LeaseEnds leases;
    private final LeaseRenewer renewer;
    private final TimeSource time;
    private final CacheEvents events;

    public LeaseClient(CacheContext context, ObservedStore store, LeaseEnds leases, LeaseRenewer renewer) {
        this.store = store;
        this.leaseTtl = context.policy().leaseTtl();
        this.fenceTtl = context.policy().loadTimeout();
        this.leases = leases;
        this.renewer = renewer;
        this.time = context.time();
        this.events = context.events();
    }

    /**
     * Requests leases, in one call of the store: each request then has its answer, or what is assumed in its place. Throws a
     * {@link WaitInterruptedException} if this thread was interrupted meanwhile, and the store did not answer for all keys; and a
     * {@link WaitTimeoutException} if no connection to the store became free within the deadline.
     */
    public void requestAll(List<KeyRequest<K, V>> loads, Deadline deadline) {
        List<KeyRequest<K, V>> open = new ArrayList<>(loads.size());
        for (KeyRequest<K, V> load : loads) {
            boolean isPointless = !load.lookup().storeAnswers() && store.isKnownDown();
            load.assume(isPointless ? assumed(load) : null);
            if (!isPointless || load.instead() instanceof LeaseAttempt.Held) {
                open.add(load);
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

    private @Nullable LeaseAttempt assumed(KeyRequest<K, V> load) {
        LeaseAttempt known = leases.assumed(load.storeKey());
        return known instanceof LeaseAttempt.Held && store.pending().contains(load.storeKey()) ? null : known;
    }

    /** Releases leases that were granted, or may have been. Does not block. */
    public void giveBackAll(List<KeyRequest<K, V>> loads) {
        leases.giveBack(KeyRequest.leasesOf(loads));
    }

    private void askUntilAnswered(List<KeyRequest<K, V>> all, Deadline deadline) {
        List<KeyRequest<K, V>> open = all;
        while (!open.isEmpty()) {
            List<List<KeyRequest<K, V>>> portions = LeaseRenewer.portions(open);
            open = ask(portions.get(0), deadline);
            for (List<KeyRequest<K, V>> portion : portions.subList(1, portions.size())) {
                if (store.isKnownDown()) { // since one of those before
                    portion.forEach(load -> load.assume(assumed(load)));
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
            HeldLease lease = load.certainLease();
            if (lease != null && time.monotonicNanos() - load.askedNanos() >= leaseTtl.toNanos() / 2) {
                old = old.isEmpty() ? new LinkedHashMap<>() : old;
                old.put(lease, load);
            }
        }
        return old.isEmpty() ? List.of() : lost(old);
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
            load.assume(null);
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
            if (attempt != null) {
                load.answered(leases.note(load.storeKey(), attempt), asked);
                HeldLease lease = load.lease();
                if (lease != null) {
                    renewer.keep(lease, asked); // the answers for others may take longer than it lives
                } else if (attempt instanceof LeaseAttempt.Granted) { // but the key cools down
                    left.add(load.renewToken());
                }
                continue;
            }
            LeaseAttempt assumed = assumed(load);
            boolean isLast = load.countUnanswered() >= MOST_UNANSWERED || store.isKnownDown();
            if (assumed == null && isLast) {
                load.noteUncertainLease();
                continue;
            }
            left.add(load.renewToken());
            load.assume(assumed);
            if (assumed == null) {
                again.add(load);
            }
        }
        if (!left.isEmpty()) {
            leases.giveBack(left);
        }
        return again;
    }

    /**
     * Requests a fence of a key in place of its lease, once. Returns the answer, {@code null} if there is none; throws a {@link
     * WaitInterruptedException} if this thread was interrupted meanwhile, and there is none.
     */
    public @Nullable LeaseAttempt requestFence(Lookup<K, V> lookup, Duration patience) {
        String storeKey = lookup.storeKey();
        try {
            LeaseRequest request = new LeaseRequest(storeKey, LeaseToken.next(), lookup.seen(), true);
            return send(List.of(request), fenceTtl, patience).get(storeKey);
        } catch (StoreException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw Failures.interrupted(storeKey, e);
            }
            return null;
        }
    }

    private Map<String, LeaseAttempt> attempts(List<KeyRequest<K, V>> loads, Duration patience) {
        try {
            List<LeaseRequest> requests = new ArrayList<>(loads.size());
            for (KeyRequest<K, V> load : loads) {
                requests.add(load.request());
            }
            return send(requests, leaseTtl, patience);
        } catch (StoreException e) {
            if (e.isShortage()) {
                throw Failures.noConnection(loads.get(0).storeKey(), e);
            }
            loads.forEach(load -> load.unanswered(e.isRefusal()));
            return Map.of();
        }
    }

    /** Sends one request, and reports what has no answer. */
    private Map<String, LeaseAttempt> send(List<LeaseRequest> requests, Duration ttl, Duration patience) {
        try {
            Map<String, LeaseAttempt> attempts = store.lease(requests, ttl, patience);
            if (attempts.size() < requests.size()) {
                events.unanswered(requests.size() - attempts.size(), requests.size());
            }
            return attempts;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            throw e;
        }
    }

    private void checkNotCutOff(List<KeyRequest<K, V>> loads, Map<String, LeaseAttempt> attempts) {
        if (attempts.size() < loads.size() && Thread.currentThread().isInterrupted()) {
            loads.forEach(load -> events.report(outcomeOf(attempts.get(load.storeKey()))));
            leases.giveBack(loads.stream().map(KeyRequest::renewToken).toList());
            throw Failures.interrupted(loads.get(0).storeKey(), new InterruptedException("while the store was asked"));
        }
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
