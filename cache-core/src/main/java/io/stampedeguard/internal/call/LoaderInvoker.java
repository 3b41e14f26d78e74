package io.stampedeguard.internal.call;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LeaseRenewer;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Invokes the loader, for one key or for many at once, and ensures that the call ends:
 * <ol>
 *   <li>it runs on the leader's own thread, so that transactions and contexts bound to the thread keep working, or on the cache's
 *       executor for loaders, if there is one. If no thread of that executor begins it soon, or the executor blocks its submitter, the
 *       leader's own thread may be one that the executor lacks: then it runs there. An asynchronous loader is invoked on the
 *       leader's thread, which is one of the cache and waits for its stage. A loader that requests another key, of this cache or of
 *       another one with the same executor, already occupies a thread of that executor and would wait for a second one: the load
 *       of that key runs on the requesting thread ({@link LoaderThreads});
 *   <li>its result is published; until that is over, however long the values take to encode, the leases are renewed;
 *   <li>at the {@code loadTimeout} it is cut off: all waiting callers are answered, and the leases are released as after a
 *       failure. The leader is answered as well, unless its own thread is in a loader that ignores the interrupt. A call that was
 *       cut off before its loader was called has not failed: its leases are only released;
 *   <li>when the cache is closed, no more calls begin, except those that running loaders need. Calls that have not ended after a
 *       grace period are cut off as well, and their leases released, so that another process can load at once.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
public final class LoaderInvoker<K, V> {
    /** How long a loader may take to heed its interrupt before it counts as stuck. */
    private static final Duration GRACE = Duration.ofMillis(100);

    /** How long the executor may take to begin a call, before the leader does. */
    private static final long SOON_NANOS = Duration.ofMillis(50).toNanos();

    private final Map<LoaderCall<V>, List<KeyRequest<K, V>>> running = new ConcurrentHashMap<>();
    private final CountDownLatch allEnded = new CountDownLatch(1);
    private final String cache;
    private final @Nullable Executor executor;
    private final @Nullable CallerContext callers;
    private final Duration loadTimeout;
    private final Publisher<K, V> publisher;
    private final LeaseRenewer renewer;
    private final LoadPermits permits;
    private final OriginGuard guard;
    private final TimeSource time;
    private final CacheEvents events;
    private volatile boolean closed;
    private volatile boolean isCutOff;

    /** Creates the invoker of one cache. Loaders run on the executor; {@code null} for the leader's own thread. */
    public LoaderInvoker(
            CacheContext context,
            @Nullable Executor executor,
            @Nullable CallerContext callers,
            LoadPermits permits,
            OriginGuard guard,
            Publisher<K, V> publisher,
            LeaseRenewer renewer) {
        this.cache = context.name();
        this.executor = executor;
        this.callers = callers;
        this.loadTimeout = context.policy().loadTimeout();
        this.publisher = publisher;
        this.renewer = renewer;
        this.permits = permits;
        this.guard = guard;
        this.time = context.time();
        this.events = context.events();
    }

    /**
     * Invokes a loader, as an attempt of its own ({@link io.stampedeguard.internal.flight.Flight#beginAttempt}), and publishes its
     * result. The permit is given back when the loader has returned. Afterwards each target has its result, and its flight is
     * complete, or soon will be ({@link Publisher#settle}), unless the loader was interrupted. The leases are released if this thread
     * was interrupted while the loader ran on another, if the executor rejects the call ({@link OriginBusyException}), or if the cache
     * is closed.
     */
    public void load(List<KeyRequest<K, V>> targets, LoadFunction<K, V> loader, Permit permit)
            throws InterruptedException {
        publisher.begin(targets);
        List<Executor> outer = LoaderThreads.occupied();
        Executor other =
                executor == null || loader.isAsynchronous() || LoaderThreads.isAmong(outer, executor) ? null : executor;
        List<Executor> occupied = other == null ? outer : LoaderThreads.with(outer, other);
        LoaderCall<V> call = new LoaderCall<>(
                new Invocation(targets, loader, occupied), permit, permits, guard.call(targets.size()), time);
        Runnable task = loader instanceof CallerContext.Carried<K, V> carried
                ? carried.context().apply(call)
                : call;
        try {
            // first: either this thread sees that the cache is closed, or close() sees the call
            running.put(call, targets);
        } catch (Error e) { // no memory: its permit is released
            call.cutOff();
            throw e;
        }
        boolean isSettled = false;
        try {
            if (closed && !isInLoader()) { // a loader that runs may need other keys to end
                call.cutOff();
                publisher.abandon(targets); // now: no task may run any more
                endCutOff(targets, call);
                return;
            }
            TimeSource.Timer timer = begin(targets, call);
            try {
                if (other == null) {
                    task.run();
                } else {
                    callOn(other, targets, call, task);
                }
            } finally {
                timer.stop();
            }
            LoaderCall.Run<V> ended = call.ended();
            reportCalled(ended == null ? call.ranNanos() : ended.nanos());
            if (ended == null) {
                endCutOff(targets, call);
            } else {
                isSettled = true; // or will be
                publisher.settle(targets, ended, () -> over(targets, call));
            }
        } finally {
            if (!isSettled) {
                over(targets, call);
            }
        }
    }

    private void over(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        running.remove(call);
        letGo(targets);
        openIfAllEnded();
    }

    /** Returns whether this thread may still request keys after {@link #close}: it is in a loader that was not cut off. */
    public boolean isInLoader() {
        return permits.isInLoader() && !isCutOff;
    }

    /**
     * Begins no more calls, except for loaders that run already; returns a latch that opens when all that run have ended, and their
     * results are published.
     */
    public CountDownLatch close() {
        closed = true;
        openIfAllEnded();
        return allEnded;
    }

    private void openIfAllEnded() {
        if (closed && running.isEmpty()) {
            allEnded.countDown();
        }
    }

    /** Cuts off all calls that have not ended, after {@link #close}: their callers are answered, their leases released. */
    public void cutOff() {
        isCutOff = true; // first: either this thread sees a call, or the call sees this
        running.forEach((call, targets) -> {
            if (drop(targets, call)) {
                completeCutOff(targets, call);
            }
        });
    }

    /** A call that was cut off while it waited for a thread proves nothing about the loader. */
    private void reportCalled(long ranNanos) {
        if (ranNanos >= 0) {
            events.called(ranNanos);
        }
    }

    /** Completes the flights of a load that was cut off; its timer may not have done so yet, and no other thread does. */
    private LoadResult<V> completeCutOff(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        LoadResult<V> result = closed ? new LoadResult.Closed<>(cache) : cutOffResult(call);
        targets.forEach(target -> target.flight().completeForAll(result));
        return result;
    }

    /** Ends a load that was cut off, on the leader's thread. */
    private void endCutOff(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        LoadResult<V> result = completeCutOff(targets, call);
        targets.forEach(target -> target.loaded(result));
    }

    private LoadResult<V> cutOffResult(LoaderCall<V> call) {
        return call.ranNanos() < 0 ? new LoadResult.NotBegun<>() : new LoadResult.TimedOut<>(loadTimeout);
    }

    private TimeSource.Timer begin(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        try {
            for (KeyRequest<K, V> target : targets) {
                HeldLease lease = target.certainLease();
                if (lease != null) {
                    renewer.keep(lease, target.askedNanos());
                }
            }
            return time.schedule(loadTimeout.toNanos(), () -> timeOut(targets, call));
        } catch (RuntimeException | Error e) { // no memory for a timer, for instance
            drop(targets, call);
            throw e;
        }
    }

    private void callOn(Executor given, List<KeyRequest<K, V>> targets, LoaderCall<V> call, Runnable task)
            throws InterruptedException {
        Deadline deadline = Deadline.in(loadTimeout, time);
        boolean isLate = handOver(given, targets, call, task);
        try {
            isLate = isLate || !time.await(call.over(), Math.min(SOON_NANOS, deadline.remainingNanos()));
            if (isLate && !deadline.isOver()) {
                task.run(); // unless it has begun
            }
            if (!time.await(call.over(), deadline.remainingNanos())) {
                timeOut(targets, call);
            }
        } catch (InterruptedException e) {
            if (drop(targets, call)) {
                throw e;
            }
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the executor blocked this thread for so long that it was interrupted; then it may not have the call. */
    private boolean handOver(Executor given, List<KeyRequest<K, V>> targets, LoaderCall<V> call, Runnable task) {
        call.beginHandover();
        TimeSource.Timer soon = null;
        Throwable rejection = null;
        try {
            Runnable handedOver = task instanceof LoaderCall && callers != null
                    ? callers.captured().apply(call)
                    : task;
            soon = time.schedule(SOON_NANOS, call::interruptHandover);
            given.execute(handedOver);
        } catch (Throwable e) {
            rejection = e;
        }
        boolean isLate = call.endHandover();
        if (soon != null) {
            soon.stop();
        }
        if (rejection != null && !(isLate && rejection instanceof Exception) && drop(targets, call)) {
            Thrown.rethrowFatal(rejection); // no memory for a thread, for instance
            targets.forEach(target -> events.load(EventType.LOAD_NOT_BEGUN, 0));
            throw Failures.rejectedByLoaderExecutor(targets.get(0).storeKey(), rejection);
        }
        return isLate;
    }

    /** Cuts the load off, as no caller waits for it any more; returns false if it is over. */
    private boolean drop(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        boolean dropped = call.cutOff(() -> {
            letGo(targets);
            publisher.giveBack(targets);
        });
        if (dropped) {
            countLaterIfStuck(call);
            reportFailed(targets, call.ranNanos());
        }
        return dropped;
    }

    /** Counts a load whose result no caller will receive: the origin was called. */
    private void reportFailed(List<KeyRequest<K, V>> targets, long ranNanos) {
        if (ranNanos >= 0) {
            targets.forEach(target -> events.load(EventType.LOAD_FAILED, ranNanos));
        }
    }

    private void timeOut(List<KeyRequest<K, V>> targets, LoaderCall<V> call) {
        if (call.cutOff(() -> release(targets, call.ranNanos()))) {
            LoadResult<V> result = cutOffResult(call);
            targets.forEach(target -> target.flight().completeForAll(result));
            if (!(result instanceof LoadResult.NotBegun)) {
                countLaterIfStuck(call);
            }
        }
    }

    /** Requests the release of leases at the {@code loadTimeout}, in the background. */
    private void release(List<KeyRequest<K, V>> targets, long ranNanos) {
        letGo(targets);
        if (ranNanos < 0) {
            publisher.notBegun(targets);
        } else {
            publisher.timedOut(targets, loadTimeout, ranNanos);
        }
    }

    private void countLaterIfStuck(LoaderCall<V> call) {
        time.schedule(GRACE.toNanos(), call::countIfStuck);
    }

    private void letGo(List<KeyRequest<K, V>> targets) {
        for (KeyRequest<K, V> target : targets) {
            HeldLease lease = target.lease();
            if (lease != null) {
                renewer.letGo(lease);
            }
        }
    }

    /** Calls a loader on its thread, which is in a loader of these keys meanwhile, and occupies these executors. */
    private final class Invocation implements LoaderCall.Body<V> {
        private final List<KeyRequest<K, V>> targets;
        private final LoadFunction<K, V> loader;
        private final List<Executor> occupied;

        Invocation(List<KeyRequest<K, V>> targets, LoadFunction<K, V> loader, List<Executor> occupied) {
            this.targets = targets;
            this.loader = loader;
            this.occupied = occupied;
        }

        @Override
        public List<LoadedValue<V>> call() throws Exception {
            List<Executor> outerExecutors = LoaderThreads.enter(occupied);
            try {
                Set<String> outerKeys = permits.enter(targets);
                try {
                    OperationScope operation = events.begin(Operation.LOAD);
                    Throwable failure = null;
                    try {
                        return loader.load(targets);
                    } catch (Throwable e) {
                        failure = e;
                        throw e;
                    } finally {
                        events.end(operation, failure);
                    }
                } finally {
                    permits.leave(outerKeys);
                }
            } finally {
                LoaderThreads.leave(outerExecutors);
            }
        }
    }

    /**
     * The executors that each loader occupies a thread of, for all caches of this process. A loader that requests a key of a cache
     * with the same executor would wait for a second thread, and all threads may be in such loaders. A loader that runs on behalf of
     * another one counts as occupying that one's executors, too: their threads wait for it. <em>Thread-safe.</em>
     */
    private static final class LoaderThreads {
        /** No thread-local: reading one leaves something behind on each thread that ever missed a key. */
        private static final Map<Thread, List<Executor>> OCCUPIED = new ConcurrentHashMap<>();

        private LoaderThreads() {}

        /** Returns the executors that the loader on this thread occupies; none if there is no loader. */
        static List<Executor> occupied() {
            return OCCUPIED.getOrDefault(Thread.currentThread(), List.of());
        }

        /** Returns whether one of them is this very executor. */
        @SuppressWarnings("ReferenceEquality") // an executor that calls another one its equal has threads of its own
        static boolean isAmong(List<Executor> occupied, Executor executor) {
            for (Executor each : occupied) {
                if (each == executor) {
                    return true;
                }
            }
            return false;
        }

        static List<Executor> with(List<Executor> occupied, Executor executor) {
            List<Executor> all = new ArrayList<>(occupied);
            all.add(executor);
            return all;
        }

        /** Notes what the loader that begins on this thread occupies; returns what is to be passed to {@link #leave}. */
        static @Nullable List<Executor> enter(List<Executor> occupied) {
            List<Executor> outer = OCCUPIED.get(Thread.currentThread());
            if (!occupied.isEmpty()) {
                OCCUPIED.put(Thread.currentThread(), occupied);
            }
            return outer;
        }

        static void leave(@Nullable List<Executor> outer) {
            if (outer == null) {
                OCCUPIED.remove(Thread.currentThread());
            } else {
                OCCUPIED.put(Thread.currentThread(), outer);
            }
        }
    }
}
