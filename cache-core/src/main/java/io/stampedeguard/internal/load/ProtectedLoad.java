package io.stampedeguard.internal.load;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
import io.stampedeguard.internal.call.LoadGate;
import io.stampedeguard.internal.call.LoaderCalls;
import io.stampedeguard.internal.call.Permit;
import io.stampedeguard.internal.call.Publisher;
import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LeaseQuestions;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.lease.Target;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.PeerResults;
import io.stampedeguard.internal.peer.PeerWait;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.Notices;
import io.stampedeguard.time.TimeSource;
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
 *   <li>the store does not answer, or the results of the key are not stored: load without a lease, and store nothing.
 * </ol>
 *
 * <p>The flight is landed whatever happens. Many keys at once go the way of {@link BulkLoad}. <em>Thread-safe.</em>
 */
public final class ProtectedLoad<K, V> {
    private final CacheContext context;
    private final @Nullable Notices notices;
    private final LoadGate gate;
    private final LeaseQuestions<K, V> questions;
    private final LoaderCalls<K, V> loaderCalls;
    private final Publisher<K, V> publisher;
    private final PeerResults<K, V> peers;
    private final CacheEvents events;
    private final Rests rests;
    private final TimeSource time;

    /**
     * Makes the way of leaders to the loader.
     *
     * @param notices the store's ability to wake those who wait, if it has it and the policy wants it
     */
    public ProtectedLoad(
            CacheContext context,
            @Nullable Notices notices,
            LoadGate gate,
            LeaseQuestions<K, V> questions,
            LoaderCalls<K, V> loaderCalls,
            Publisher<K, V> publisher,
            PeerResults<K, V> peers) {
        this.context = context;
        this.notices = notices;
        this.gate = gate;
        this.questions = questions;
        this.loaderCalls = loaderCalls;
        this.publisher = publisher;
        this.peers = peers;
        this.events = context.events();
        this.rests = Rests.of(context.policy());
        this.time = context.time();
    }

    /** Leads a flight on the thread of a caller that waits for the answer. */
    public LoadResult<V> lead(
            Look<K, V> look, Loader<? super K, ? extends V> loader, Flight<LoadResult<V>> flight, Deadline deadline) {
        try (PeerWait wait = new PeerWait(look.storeKey(), context, notices, PeerWait.Counting.ITSELF)) {
            return lead(KeyLoad.forCaller(look, flight), loader, deadline, wait);
        } finally {
            flight.landEmpty();
        }
    }

    private LoadResult<V> lead(
            KeyLoad<K, V> led, Loader<? super K, ? extends V> loader, Deadline deadline, PeerWait wait) {
        WaitOutcome waited = WaitOutcome.ANSWERED;
        try {
            return loadOrWait(led, loader, deadline, wait);
        } catch (InterruptedException e) {
            waited = WaitOutcome.INTERRUPTED;
            throw Failures.interrupted(led.storeKey(), e);
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
    public Duration refresh(Look<K, V> look, Loader<? super K, ? extends V> loader, Flight<LoadResult<V>> flight)
            throws InterruptedException {
        Permit permit = null;
        try {
            permit = gate.tryAcquire();
            if (permit == null) {
                events.refresh(RefreshOutcome.DROPPED);
                return rests.brief();
            }
            flight.beginAttempt();
            KeyLoad<K, V> led = KeyLoad.inBackground(look, flight);
            LeaseQuestions.Answer answer = questions.ask(led, Deadline.in(rests.brief(), time));
            if (answer.instead() != null) {
                return peers.restAfter(answer.instead(), look, flight);
            }
            Target<K, V> target = led.under(answer.lease());
            if (!answer.isGranted()) {
                publisher.giveBack(List.of(target));
                return rests.brief();
            }
            if (load(target, loader, permit) instanceof LoadResult.Failure<V> failure) {
                events.fault(FaultSource.LOADER, failure.cause());
                return rests.afterFailure();
            }
            return rests.brief();
        } catch (OriginBusyException
                | WaitTimeoutException e) { // no room in the executor for loaders, or no connection
            events.refresh(RefreshOutcome.DROPPED);
            return rests.brief();
        } finally {
            if (permit != null) {
                permit.release();
            }
            flight.landEmpty(); // else it stays on the map without a leader, and whoever comes waits for it
        }
    }

    private LoadResult<V> loadOrWait(
            KeyLoad<K, V> led, Loader<? super K, ? extends V> loader, Deadline deadline, PeerWait wait)
            throws InterruptedException {
        while (true) {
            LeaseAttempt instead;
            Permit permit = gate.acquire(deadline.remainingNanos());
            if (permit == null) {
                return lastLook(led);
            }
            try {
                wait.beforeAsking();
                led.flight().beginAttempt();
                LeaseQuestions.Answer answer = questions.ask(led, deadline);
                if (answer.instead() == null) {
                    if (wait.hasWaited() && answer.isGranted()) {
                        events.lease(LeaseOutcome.TAKEN_OVER);
                    }
                    wait.over(WaitOutcome.SENT_ROUND); // from here on it loads itself
                    return load(led.under(answer.lease()), loader, permit);
                }
                instead = answer.instead();
            } finally {
                permit.release();
            }
            LoadResult<V> outcome = instead instanceof LeaseAttempt.Held held
                    ? peers.heard(wait.untilNextQuestion(held, deadline), led.look(), led.flight())
                    : peers.told(instead, led.look(), led.flight(), wait.hasWaited());
            if (outcome != null) {
                return outcome;
            }
            if (instead instanceof LeaseAttempt.Found found) {
                led.hasSeen(LeaseToken.startOf(found.stored()), peers.isForOthers(found));
            }
        }
    }

    private LoadResult<V> load(Target<K, V> target, Loader<? super K, ? extends V> loader, Permit permit)
            throws InterruptedException {
        List<Target<K, V>> targets = List.of(target);
        return loaderCalls.call(
                targets,
                () -> List.of(loaded(target.look(), loader)),
                permit,
                run -> publisher.settle(targets, run).get(0),
                loaderCalls.timedOut());
    }

    @SuppressWarnings("unchecked") // what is loaded and shown is only read
    private LoadedValue<V> loaded(Look<K, V> look, Loader<? super K, ? extends V> loader) throws Exception {
        if (!(loader instanceof AdaptiveLoader<?, ?>)) {
            return LoadedValue.of(loader.load(look.key()));
        }
        Stored<V> stored = look.stored();
        LoadedValue<V> loaded =
                ((AdaptiveLoader<K, V>) loader).load(look.key(), stored == null ? null : stored.asPrevious());
        if (loaded == null || (loaded.isNotModified() && stored == null)) {
            throw new IllegalStateException("the adaptive loader has answered "
                    + (loaded == null ? "null" : "notModified, without a previous value"));
        }
        return loaded;
    }

    /** Somebody else may have loaded it while there was no permit for this one. */
    private LoadResult<V> lastLook(KeyLoad<K, V> led) {
        LoadResult<V> outcome = led.look().storeAnswers() ? peers.look(led.look(), led.flight()) : null;
        if (outcome == null) {
            throw Failures.noPermit(led.storeKey());
        }
        return outcome;
    }
}
