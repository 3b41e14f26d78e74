package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of a flight's leader to the loader:
 *
 * <ol>
 *   <li>take a permit, so that no more loads run in this process than it may;
 *   <li>ask the store for the lease: <em>granted</em>: load, then {@link Publication} settles it; <em>found</em>:
 *       somebody was faster, use that; <em>held</em>: give the permit back, wait, and begin again;
 *   <li>the store does not answer: load without a lease, and store nothing.
 * </ol>
 *
 * <p>The flight is landed whatever happens. <em>Thread-safe.</em>
 */
final class ProtectedLoad<K, V> {
    private final SharedStore store;
    private final Duration leaseTtl;
    private final EntryReader<V> reader;
    private final Publication<V> publication;
    private final LoadPermits permits;
    private final Supplier<PeerWait> peerWaits;
    private final TimeSource time;
    private final CacheEvents events;

    ProtectedLoad(CacheParts<K, V> parts) {
        this.store = parts.store();
        this.leaseTtl = parts.policy().leaseTtl();
        this.reader = parts.reader();
        this.publication = new Publication<>(parts);
        this.permits = new LoadPermits(parts.policy().maxConcurrentLoads(), parts.time());
        this.peerWaits = () -> new PeerWait(parts.policy(), parts.time(), parts.draws(), parts.events());
        this.time = parts.time();
        this.events = parts.events();
    }

    /** Leads a flight on the thread of a caller that waits for the answer. */
    Outcome<V> lead(Miss<K, V> miss, Flight<Outcome<V>> flight, Deadline deadline) {
        try {
            return lead(miss, flight, deadline, peerWaits.get());
        } finally {
            flight.landEmpty();
        }
    }

    private Outcome<V> lead(Miss<K, V> miss, Flight<Outcome<V>> flight, Deadline deadline, PeerWait wait) {
        WaitOutcome waited = WaitOutcome.ANSWERED;
        try {
            return loadOrWait(miss, flight, deadline, wait);
        } catch (InterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw WaitInterruptedException.restoringFlag(miss.storeKey(), e);
        } catch (WaitInterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw e;
        } catch (WaitTimeoutException | OriginBusyException e) {
            waited = WaitOutcome.TIMED_OUT;
            throw e;
        } finally {
            wait.over(waited);
        }
    }

    /** Leads a flight in the background, for a stale entry: where a caller would wait, it gives up. */
    void refresh(Miss<K, V> miss, Flight<Outcome<V>> flight) {
        try {
            if (!permits.tryAcquire()) {
                events.refresh(RefreshOutcome.DROPPED);
                return;
            }
            LoadRun<V> run = null;
            try {
                LeaseToken token = LeaseToken.next();
                flight.beginAttempt();
                if (ask(miss, miss.seen(), token) instanceof LeaseAttempt.Granted) {
                    run = run(miss, token);
                }
            } finally {
                permits.release();
            }
            if (run != null && publication.settle(miss.storeKey(), run, flight) instanceof Outcome.Failure<V> failure) {
                events.fault(FaultSource.LOADER, failure.cause());
            }
        } finally {
            flight.landEmpty();
        }
    }

    private Outcome<V> loadOrWait(Miss<K, V> miss, Flight<Outcome<V>> flight, Deadline deadline, PeerWait wait)
            throws InterruptedException {
        LeaseToken seen = miss.seen();
        while (true) {
            LeaseAttempt attempt = null;
            LoadRun<V> run = null;
            acquirePermit(miss.storeKey(), deadline);
            try {
                LeaseToken token = LeaseToken.next();
                flight.beginAttempt();
                attempt = miss.storeAnswers() ? ask(miss, seen, token) : null;
                if (attempt == null || attempt instanceof LeaseAttempt.Granted) {
                    run = run(miss, attempt == null ? null : token);
                }
            } finally {
                permits.release();
            }
            if (run != null) {
                return publication.settle(miss.storeKey(), run, flight);
            }
            if (attempt instanceof LeaseAttempt.Found found) {
                Stored<V> stored = reader.read(found.stored());
                if (stored != null) {
                    Outcome<V> outcome = new Outcome.Value<>(stored.value());
                    flight.landForEarly(outcome);
                    return outcome;
                }
                seen = LeaseToken.startOf(found.stored());
            } else if (attempt instanceof LeaseAttempt.Held held && !wait.untilNextPoll(held, deadline)) {
                throw new WaitTimeoutException("the load of " + KeyText.shown(miss.storeKey()) + " by " + held.holder()
                        + " did not end within the waitTimeout");
            }
        }
    }

    private void acquirePermit(String storeKey, Deadline deadline) throws InterruptedException {
        if (!permits.acquire(deadline.remainingNanos())) {
            throw new OriginBusyException("no permit to load " + KeyText.shown(storeKey)
                    + " within the waitTimeout: as many loads as maxConcurrentLoads allows are running");
        }
    }

    /** Asks for the lease; {@code null} if the store does not answer. */
    private @Nullable LeaseAttempt ask(Miss<K, V> miss, @Nullable LeaseToken seen, LeaseToken token) {
        try {
            LeaseAttempt attempt = store.lease(miss.storeKey(), token, seen, leaseTtl);
            events.lease(
                    attempt instanceof LeaseAttempt.Granted
                            ? LeaseOutcome.GRANTED
                            : attempt instanceof LeaseAttempt.Found ? LeaseOutcome.FOUND : LeaseOutcome.HELD);
            return attempt;
        } catch (StoreException e) {
            events.lease(LeaseOutcome.UNAVAILABLE);
            events.fault(FaultSource.STORE, e);
            if (Thread.currentThread().isInterrupted()) {
                // Cut off in mid-question, it may have been granted: nobody would give it back.
                publication.abandon(miss.storeKey(), token);
                throw WaitInterruptedException.restoringFlag(miss.storeKey(), e);
            }
            return null;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code; what it throws is handed to all who wait
    private LoadRun<V> run(Miss<K, V> miss, @Nullable LeaseToken lease) {
        long began = time.monotonicNanos();
        try {
            V value = miss.loader().load(miss.key());
            return new LoadRun<>(lease, value, null, time.monotonicNanos() - began);
        } catch (Throwable e) {
            return new LoadRun<>(lease, null, e, time.monotonicNanos() - began);
        }
    }
}
