package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.flight.Flight;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Calls the loader, and sees to it that the call has an end:
 *
 * <ol>
 *   <li>it runs on the leader's own thread, so that transactions and contexts that are bound to it keep working, or on
 *       the cache's executor for loaders, if there is one;
 *   <li>meanwhile its lease is renewed;
 *   <li>what it brings is settled by {@link Publication};
 *   <li>at the {@code loadTimeout} it is cut off: all who wait are answered, the lease is given back as after a failure.
 *       The leader is answered, too, unless its own thread is in a loader that ignores the interrupt.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class LoaderCalls<K, V> {
    /** How long a loader may take to heed its interrupt before it counts as stuck. */
    private static final Duration GRACE = Duration.ofMillis(100);

    private final @Nullable Executor executor;
    private final Duration loadTimeout;
    private final Publication<V> publication;
    private final LeaseKeeper keeper;
    private final StuckLoads stuckLoads;
    private final TimeSource time;

    LoaderCalls(CacheParts<K, V> parts, Publication<V> publication, Errands errands) {
        this.executor = parts.loaderExecutor();
        this.loadTimeout = parts.policy().loadTimeout();
        this.publication = publication;
        this.keeper = new LeaseKeeper(parts, errands);
        this.stuckLoads = new StuckLoads(parts, errands);
        this.time = parts.time();
    }

    /** One load: what is asked for, under which lease, and who waits for it. */
    private record Load<K, V>(Miss<K, V> miss, @Nullable Lease lease, Flight<Outcome<V>> flight) {}

    /**
     * Loads, and settles the flight.
     *
     * @param lease {@code null} if the store does not answer
     * @param permit taken over, and given back when the loader has returned
     * @throws InterruptedException if this thread was interrupted while the loader ran on another; the lease is given back
     * @throws OriginBusyException if the executor takes no more; the lease is given back
     */
    Outcome<V> load(Miss<K, V> miss, @Nullable Lease lease, Flight<Outcome<V>> flight, Permit permit)
            throws InterruptedException {
        Load<K, V> load = new Load<>(miss, lease, flight);
        LoadCall<V> call = new LoadCall<>(() -> miss.loader().load(miss.key()), permit.handOver(), stuckLoads, time);
        TimeSource.Timer timer = begin(load, call);
        try {
            if (executor == null) {
                call.run();
            } else {
                callOn(executor, load, call);
            }
        } finally {
            timer.stop();
            letGo(load);
        }
        LoadRun<V> run = call.ended();
        return run == null ? timedOut(flight) : publication.settle(miss.storeKey(), lease, run, flight);
    }

    /** The timer may not have landed the flight yet, and after this thread nobody lands it for all. */
    private Outcome<V> timedOut(Flight<Outcome<V>> flight) {
        Outcome<V> outcome = new Outcome.TimedOut<>(loadTimeout);
        flight.landForAll(outcome);
        return outcome;
    }

    /** Tells how many loaders ignore their interrupt now. */
    int stuck() {
        return stuckLoads.running();
    }

    private TimeSource.Timer begin(Load<K, V> load, LoadCall<V> call) {
        try {
            if (load.lease != null && load.lease.certain()) {
                keeper.keep(load.miss.storeKey(), load.lease);
            }
            return time.schedule(loadTimeout.toNanos(), () -> timeOut(load, call));
        } catch (RuntimeException | Error e) { // no memory for a timer, for instance
            drop(load, call);
            throw e;
        }
    }

    private void callOn(Executor given, Load<K, V> load, LoadCall<V> call) throws InterruptedException {
        try {
            given.execute(call);
        } catch (RuntimeException e) {
            if (drop(load, call)) {
                throw busy(load, e);
            }
        } catch (Error e) { // no memory for a thread, for instance
            if (drop(load, call)) {
                throw e;
            }
        }
        try {
            if (!time.await(call.over(), loadTimeout.toNanos())) {
                timeOut(load, call);
            }
        } catch (InterruptedException e) {
            if (drop(load, call)) {
                throw e;
            }
            Thread.currentThread().interrupt();
        }
    }

    private static OriginBusyException busy(Load<?, ?> load, RuntimeException refusal) {
        return new OriginBusyException(
                "the loaderExecutor has no room for the load of " + KeyText.shown(load.miss.storeKey()), refusal);
    }

    /** Nobody waits for the load any more; false if it is over. */
    private boolean drop(Load<K, V> load, LoadCall<V> call) {
        boolean dropped = call.cutOff();
        if (dropped) {
            letGo(load);
            if (load.lease != null) {
                publication.giveBack(load.miss.storeKey(), load.lease.token());
            }
            countLaterIfStuck(call);
        }
        return dropped;
    }

    private void timeOut(Load<K, V> load, LoadCall<V> call) {
        if (call.cutOff()) {
            letGo(load);
            publication.timeOut(load.miss.storeKey(), load.lease, loadTimeout, load.flight);
            countLaterIfStuck(call);
        }
    }

    private void countLaterIfStuck(LoadCall<V> call) {
        time.schedule(GRACE.toNanos(), call::countIfStuck);
    }

    private void letGo(Load<K, V> load) {
        if (load.lease != null) {
            keeper.letGo(load.miss.storeKey(), load.lease.token());
        }
    }
}
