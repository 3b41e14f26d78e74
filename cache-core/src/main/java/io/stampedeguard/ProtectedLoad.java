package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.entry.FailureText;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.Notices;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The way of a flight's leader to the loader:
 *
 * <ol>
 *   <li>take a permit, so that no more loads run in this process than it may;
 *   <li>ask the store for the lease: <em>granted</em>: {@link LoaderCalls} loads; <em>found</em>: somebody was faster, use
 *       that; <em>held</em>: give the permit back, wait ({@link PeerWait}), and begin again; <em>failed</em>: the key cools
 *       down, nobody loads;
 *   <li>the store does not answer: load without a lease, and store nothing.
 * </ol>
 *
 * <p>The flight is landed whatever happens. <em>Thread-safe.</em>
 */
final class ProtectedLoad<K, V> {
    private final CacheParts<K, V> parts;
    private final SharedStore store;
    private final EntryReader<V> reader;
    private final Publication<V> publication;
    private final LoaderCalls<K, V> loaderCalls;
    private final LoadPermits permits;
    private final CacheEvents events;

    ProtectedLoad(CacheParts<K, V> parts) {
        Errands errands = new Errands(parts.keys().cache(), "errands");
        this.parts = parts;
        this.store = parts.store();
        this.reader = parts.reader();
        this.publication = new Publication<>(parts, errands);
        this.loaderCalls = new LoaderCalls<>(parts, publication, errands);
        this.permits = new LoadPermits(parts.policy().maxConcurrentLoads(), parts.time());
        this.events = parts.events();
    }

    /** What the store says to one who asks for the lease: to load, or what it says instead. */
    private record Answer(@Nullable Lease lease, @Nullable LeaseAttempt instead) {}

    /** Leads a flight on the thread of a caller that waits for the answer. */
    Outcome<V> lead(Miss<K, V> miss, Flight<Outcome<V>> flight, Deadline deadline) {
        try (PeerWait wait = new PeerWait(miss.storeKey(), parts)) {
            return lead(miss, flight, deadline, wait);
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

    /**
     * Leads a flight in the background, for a stale entry: where a caller would wait, it gives up.
     *
     * @return for how long there is no point in trying again
     */
    Duration refresh(Miss<K, V> miss, Flight<Outcome<V>> flight) throws InterruptedException {
        if (!permits.tryAcquire()) {
            events.refresh(RefreshOutcome.DROPPED);
            return Duration.ZERO;
        }
        Permit permit = new Permit(permits);
        try {
            flight.beginAttempt();
            Answer answer = ask(miss, miss.seen());
            if (answer.lease == null) {
                return restAfter(answer.instead);
            }
            if (!answer.lease.certain()) {
                publication.giveBack(miss.storeKey(), answer.lease.token());
                return Duration.ZERO;
            }
            if (loaderCalls.load(miss, answer.lease, flight, permit) instanceof Outcome.Failure<V> failure) {
                events.fault(FaultSource.LOADER, failure.cause());
            }
            return Duration.ZERO;
        } finally {
            permit.release();
            flight.landEmpty();
        }
    }

    /** Tells how many loaders ignore their interrupt now. */
    int stuck() {
        return loaderCalls.stuck();
    }

    private Duration restAfter(@Nullable LeaseAttempt instead) {
        if (instead instanceof LeaseAttempt.Held held) {
            return shorter(held.remaining(), parts.policy().pollLongest());
        }
        return instead instanceof LeaseAttempt.Failed failed
                ? shorter(failed.remaining(), parts.policy().longestCoolDown())
                : Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Outcome<V> loadOrWait(Miss<K, V> miss, Flight<Outcome<V>> flight, Deadline deadline, PeerWait wait)
            throws InterruptedException {
        LeaseToken seen = miss.seen();
        while (true) {
            LeaseAttempt instead;
            if (!permits.acquire(deadline.remainingNanos())) {
                return lastLook(miss, flight);
            }
            Permit permit = new Permit(permits);
            try {
                wait.beforeAsking();
                flight.beginAttempt();
                Answer answer = ask(miss, seen);
                if (answer.instead == null) {
                    return loaderCalls.load(miss, answer.lease, flight, permit);
                }
                instead = answer.instead;
            } finally {
                permit.release();
            }
            Outcome<V> outcome = instead instanceof LeaseAttempt.Held held
                    ? heard(wait.untilNextQuestion(held, deadline), miss, flight)
                    : told(instead, flight);
            if (outcome != null) {
                return outcome;
            }
            if (instead instanceof LeaseAttempt.Found found) {
                seen = LeaseToken.startOf(found.stored());
            }
        }
    }

    /** What the store tells may answer all who were on board when it was asked; {@code null} if it is of no use. */
    private @Nullable Outcome<V> told(LeaseAttempt instead, Flight<Outcome<V>> flight) {
        return instead instanceof LeaseAttempt.Failed failed
                ? failed(failed.failure(), failed.remaining(), flight)
                : found(((LeaseAttempt.Found) instead).stored(), flight);
    }

    private @Nullable Outcome<V> heard(Notices.@Nullable Notice notice, Miss<K, V> miss, Flight<Outcome<V>> flight) {
        if (notice instanceof Notices.Notice.Failed failed) {
            return failed(failed.failure(), failed.coolDown(), flight);
        }
        if (notice instanceof Notices.Notice.Published published && published.entry() != null) {
            flight.leave();
            return flight.hasLatecomers() ? look(miss, flight) : found(published.entry(), flight);
        }
        return null;
    }

    /** One read for all on board, in place of one for each who came too late for the last answer. */
    private @Nullable Outcome<V> look(Miss<K, V> miss, Flight<Outcome<V>> flight) {
        flight.beginAttempt();
        try {
            return found(store.read(miss.storeKey()), flight);
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return null;
        }
    }

    private @Nullable Outcome<V> found(byte @Nullable [] entry, Flight<Outcome<V>> flight) {
        Stored<V> stored = reader.read(entry);
        if (stored == null) {
            return null;
        }
        Outcome<V> outcome = new Outcome.Value<>(stored.value());
        flight.landForEarly(outcome);
        return outcome;
    }

    private static <V> Outcome<V> failed(byte[] failure, Duration coolDown, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.RecentFailure<>(FailureText.decode(failure), coolDown);
        flight.landForAll(outcome);
        return outcome;
    }

    /** Somebody else may have loaded it while there was no permit for this one. */
    private Outcome<V> lastLook(Miss<K, V> miss, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = miss.storeAnswers() ? look(miss, flight) : null;
        if (outcome == null) {
            throw new OriginBusyException("no permit to load " + KeyText.shown(miss.storeKey())
                    + " within the waitTimeout: as many loads as maxConcurrentLoads allows are running");
        }
        return outcome;
    }

    private Answer ask(Miss<K, V> miss, @Nullable LeaseToken seen) {
        if (!miss.storeAnswers()) {
            return new Answer(null, null);
        }
        LeaseToken token = LeaseToken.next();
        long asked = parts.time().monotonicNanos();
        try {
            LeaseAttempt attempt =
                    store.lease(miss.storeKey(), token, seen, parts.policy().leaseTtl());
            events.lease(outcomeOf(attempt));
            return attempt instanceof LeaseAttempt.Granted granted
                    ? new Answer(new Lease(token, granted.failuresBefore(), asked, true), null)
                    : new Answer(null, attempt);
        } catch (StoreException e) {
            events.lease(LeaseOutcome.UNAVAILABLE);
            events.fault(FaultSource.STORE, e);
            if (Thread.currentThread().isInterrupted()) {
                publication.giveBack(miss.storeKey(), token); // it may have been granted
                throw WaitInterruptedException.restoringFlag(miss.storeKey(), e);
            }
            return new Answer(new Lease(token, 0, asked, false), null);
        }
    }

    private static LeaseOutcome outcomeOf(LeaseAttempt attempt) {
        if (attempt instanceof LeaseAttempt.Granted) {
            return LeaseOutcome.GRANTED;
        }
        if (attempt instanceof LeaseAttempt.Found) {
            return LeaseOutcome.FOUND;
        }
        return attempt instanceof LeaseAttempt.Held ? LeaseOutcome.HELD : LeaseOutcome.COOLING;
    }
}
