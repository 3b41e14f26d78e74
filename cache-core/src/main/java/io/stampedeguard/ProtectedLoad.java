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
import java.util.List;
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
    private final Publication<K, V> publication;
    private final LoaderCalls<K, V> loaderCalls;
    private final LoadGate gate;
    private final NearSide<K, V> near;
    private final CacheEvents events;

    ProtectedLoad(CacheParts<K, V> parts) {
        Errands errands = new Errands(parts.keys().cache(), "errands");
        this.parts = parts;
        this.store = parts.store();
        this.reader = parts.reader();
        this.publication = new Publication<>(parts, errands);
        this.loaderCalls = new LoaderCalls<>(parts, publication, errands);
        this.gate = new LoadGate(parts.policy().maxConcurrentLoads(), parts.nesting(), parts.time());
        this.near = parts.near();
        this.events = parts.events();
    }

    /** What the store says to one who asks for the lease: to load, or what it says instead. */
    private record Answer(@Nullable Lease lease, @Nullable LeaseAttempt instead) {}

    /** Leads a flight on the thread of a caller that waits for the answer. */
    Outcome<V> lead(
            Look<K, V> look, Loader<? super K, ? extends V> loader, Flight<Outcome<V>> flight, Deadline deadline) {
        try (PeerWait wait = new PeerWait(look.storeKey(), parts)) {
            return lead(look, loader, flight, deadline, wait);
        } finally {
            flight.landEmpty();
        }
    }

    private Outcome<V> lead(
            Look<K, V> look,
            Loader<? super K, ? extends V> loader,
            Flight<Outcome<V>> flight,
            Deadline deadline,
            PeerWait wait) {
        WaitOutcome waited = WaitOutcome.ANSWERED;
        try {
            return loadOrWait(look, loader, flight, deadline, wait);
        } catch (InterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw WaitInterruptedException.restoringFlag(look.storeKey(), e);
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
    Duration refresh(Look<K, V> look, Loader<? super K, ? extends V> loader, Flight<Outcome<V>> flight)
            throws InterruptedException {
        Permit permit = gate.tryAcquire();
        if (permit == null) {
            events.refresh(RefreshOutcome.DROPPED);
            return Duration.ZERO;
        }
        try {
            flight.beginAttempt();
            Answer answer = ask(look, look.seen());
            if (answer.lease == null) {
                return restAfter(answer.instead, look, flight);
            }
            if (!answer.lease.certain()) {
                publication.giveBack(look.storeKey(), answer.lease.token());
                return Duration.ZERO;
            }
            Target<K, V> target = new Target<>(look, answer.lease, flight);
            if (load(target, loader, permit) instanceof Outcome.Failure<V> failure) {
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

    private Duration restAfter(@Nullable LeaseAttempt instead, Look<K, V> look, Flight<Outcome<V>> flight) {
        if (instead instanceof LeaseAttempt.Found found) {
            found(found.stored(), look, flight);
        }
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

    private Outcome<V> loadOrWait(
            Look<K, V> look,
            Loader<? super K, ? extends V> loader,
            Flight<Outcome<V>> flight,
            Deadline deadline,
            PeerWait wait)
            throws InterruptedException {
        LeaseToken seen = look.seen();
        while (true) {
            LeaseAttempt instead;
            Permit permit = gate.acquire(deadline.remainingNanos());
            if (permit == null) {
                return lastLook(look, flight);
            }
            try {
                wait.beforeAsking();
                flight.beginAttempt();
                Answer answer = ask(look, seen);
                if (answer.instead == null) {
                    return load(new Target<>(look, answer.lease, flight), loader, permit);
                }
                instead = answer.instead;
            } finally {
                permit.release();
            }
            Outcome<V> outcome = instead instanceof LeaseAttempt.Held held
                    ? heard(wait.untilNextQuestion(held, deadline), look, flight)
                    : told(instead, look, flight);
            if (outcome != null) {
                return outcome;
            }
            if (instead instanceof LeaseAttempt.Found found) {
                seen = LeaseToken.startOf(found.stored());
            }
        }
    }

    private Outcome<V> load(Target<K, V> target, Loader<? super K, ? extends V> loader, Permit permit)
            throws InterruptedException {
        LoadRun<Loaded<V>> run = loaderCalls.call(List.of(target), () -> loaded(target.look(), loader), permit);
        return run == null ? loaderCalls.timedOut() : publication.settle(target, run);
    }

    @SuppressWarnings("unchecked") // what is loaded and shown is only read
    private Loaded<V> loaded(Look<K, V> look, Loader<? super K, ? extends V> loader) throws Exception {
        if (!(loader instanceof AdaptiveLoader<?, ?>)) {
            return Loaded.of(loader.load(look.key()));
        }
        Stored<V> stored = look.stored();
        Loaded<V> loaded =
                ((AdaptiveLoader<K, V>) loader).load(look.key(), stored == null ? null : stored.asPrevious());
        if (loaded == null || (loaded.isNotModified() && stored == null)) {
            throw new IllegalStateException("the adaptive loader has answered "
                    + (loaded == null ? "null" : "notModified, without a previous value"));
        }
        return loaded;
    }

    /** What the store tells may answer all who were on board when it was asked; {@code null} if it is of no use. */
    private @Nullable Outcome<V> told(LeaseAttempt instead, Look<K, V> look, Flight<Outcome<V>> flight) {
        return instead instanceof LeaseAttempt.Failed failed
                ? failed(failed.failure(), failed.remaining(), flight)
                : found(((LeaseAttempt.Found) instead).stored(), look, flight);
    }

    private @Nullable Outcome<V> heard(Notices.@Nullable Notice notice, Look<K, V> look, Flight<Outcome<V>> flight) {
        if (notice instanceof Notices.Notice.Failed failed) {
            return failed(failed.failure(), failed.coolDown(), flight);
        }
        if (notice instanceof Notices.Notice.Published published && published.entry() != null) {
            flight.leave();
            return flight.hasLatecomers() ? look(look, flight) : found(published.entry(), look, flight);
        }
        return null;
    }

    /** One read for all on board, in place of one for each who came too late for the last answer. */
    private @Nullable Outcome<V> look(Look<K, V> look, Flight<Outcome<V>> flight) {
        flight.beginAttempt();
        try {
            return found(store.read(look.storeKey()), look, flight);
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return null;
        }
    }

    private @Nullable Outcome<V> found(byte @Nullable [] entry, Look<K, V> look, Flight<Outcome<V>> flight) {
        Stored<V> stored = reader.read(entry);
        if (stored == null) {
            return null;
        }
        if (!stored.isStale()) {
            near.keep(look, stored.value(), stored.entry());
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
    private Outcome<V> lastLook(Look<K, V> look, Flight<Outcome<V>> flight) {
        Outcome<V> outcome = look.storeAnswers() ? look(look, flight) : null;
        if (outcome == null) {
            throw new OriginBusyException("no permit to load " + KeyText.shown(look.storeKey())
                    + " within the waitTimeout: as many loads as maxConcurrentLoads allows are running");
        }
        return outcome;
    }

    private Answer ask(Look<K, V> look, @Nullable LeaseToken seen) {
        if (!look.storeAnswers()) {
            return new Answer(null, null);
        }
        LeaseToken token = LeaseToken.next();
        long asked = parts.time().monotonicNanos();
        try {
            LeaseAttempt attempt =
                    store.lease(look.storeKey(), token, seen, parts.policy().leaseTtl());
            events.lease(outcomeOf(attempt));
            return attempt instanceof LeaseAttempt.Granted granted
                    ? new Answer(new Lease(token, granted.failuresBefore(), asked, true), null)
                    : new Answer(null, attempt);
        } catch (StoreException e) {
            events.lease(LeaseOutcome.UNAVAILABLE);
            events.fault(FaultSource.STORE, e);
            if (Thread.currentThread().isInterrupted()) {
                publication.giveBack(look.storeKey(), token); // it may have been granted
                throw WaitInterruptedException.restoringFlag(look.storeKey(), e);
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
