package io.stampedeguard.internal.read;

import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The path of {@code getAllAsync}: the steps of {@link ReadPath} for many keys, on {@link AsyncThreads}. A reading thread
 * answers from the near cache and the store; a thread that may block loads the rest, or waits for it. <em>Thread-safe.</em>
 */
public final class AsyncBulkRead<K, V> implements AutoCloseable {
    private final AsyncThreads threads;
    private final CallerFlights<K, V> flights;
    private final ReadPath<K, V> readPath;
    private final String cache;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final Set<GetAll> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public AsyncBulkRead(
            CacheContext context, AsyncThreads threads, CallerFlights<K, V> flights, ReadPath<K, V> readPath) {
        this.threads = threads;
        this.flights = flights;
        this.readPath = readPath;
        this.cache = context.name();
        this.waitTimeout = context.policy().waitTimeout();
        this.time = context.time();
    }

    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = readPath.batch(keys);
        if (batch.keys().isEmpty()) {
            return CompletableFuture.completedFuture(new LinkedHashMap<>());
        }
        for (NamedKey<K> each : batch.keys()) {
            if (flights.isLoading(each.storeKey())) {
                batch.fails();
                return CompletableFuture.failedFuture(LoadPermits.recursion(each.storeKey()));
            }
        }
        GetAll call = new GetAll(batch, loader);
        pending.add(call);
        call.begin();
        if (closed) {
            call.fail(Failures.closedMeanwhile(cache));
        }
        return call.future;
    }

    /** Returns a future that completes when all calls in progress have completed. */
    public CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(pending.stream().map(call -> call.future).toArray(CompletableFuture<?>[]::new));
    }

    /** Fails the futures that are not complete. */
    @Override
    public void close() {
        closed = true;
        pending.forEach(call -> call.fail(Failures.closedMeanwhile(cache)));
    }

    /** One call for many keys, which ends once. <em>Thread-safe.</em> */
    private final class GetAll {
        private final CompletableFuture<Map<K, V>> future = new CompletableFuture<>();
        private final AtomicBoolean hasThread = new AtomicBoolean();
        private final AtomicBoolean isRead = new AtomicBoolean(); // or never will be
        private volatile boolean lacksAnswers; // of the store, after the read has begun
        private final Deadline deadline = Deadline.in(waitTimeout, time);
        private final MissResolver<K, V>.Batch batch;
        private final LoadFunction<K, V> loader;
        private final String firstKey;

        private GetAll(MissResolver<K, V>.Batch batch, LoadFunction<K, V> loader) {
            this.batch = batch;
            this.loader = loader;
            this.firstKey = batch.keys().get(0).storeKey();
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
        void begin() {
            TimeSource.Timer timer = time.schedule(deadline.remainingNanos(), this::timeIsUp);
            future.whenComplete((values, failure) -> {
                timer.stop();
                pending.remove(this);
            });
            try {
                threads.read(this::read, this::lead);
            } catch (RuntimeException | Error e) {
                reject(e);
            }
        }

        /** Does not throw; returns nothing if the future is already complete. */
        @SuppressWarnings("CatchingUnchecked") // user callbacks: codecs, listeners
        private List<Look<K, V>> read() {
            if (future.isDone()) {
                return List.of();
            }
            lacksAnswers = true;
            if (!isRead.compareAndSet(false, true)) {
                return List.of();
            }
            try {
                List<Look<K, V>> misses = readPath.readAll(batch, loader, deadline);
                lacksAnswers = misses.stream().anyMatch(look -> !look.storeAnswers());
                return misses;
            } catch (Throwable e) {
                fail(e);
                return List.of();
            }
        }

        private void lead(List<Look<K, V>> misses) {
            try {
                if (misses.isEmpty()) {
                    run(misses);
                } else {
                    threads.lead(() -> run(misses));
                }
            } catch (RuntimeException | Error e) {
                reject(e);
            }
        }

        @SuppressWarnings("CatchingUnchecked") // the future reports the loader's Errors
        private void run(List<Look<K, V>> misses) {
            if (!hasThread.compareAndSet(false, true) || future.isDone()) {
                return;
            }
            try {
                future.complete(readPath.resolve(misses, batch, loader, deadline));
            } catch (Throwable e) {
                fail(e);
            }
        }

        private void reject(Throwable rejection) {
            fail(Thrown.isFatal(rejection) ? rejection : Failures.rejectedByAsyncExecutor(firstKey, rejection));
        }

        /** Runs on the timer thread; the work is handed to other threads. */
        private void timeIsUp() {
            if (hasThread.compareAndSet(false, true)) {
                threads.completeLate(this::endLate);
            }
        }

        @SuppressWarnings("CatchingUnchecked") // user callbacks: codecs, listeners
        private void endLate() {
            try {
                if (isRead.compareAndSet(false, true) || !lacksAnswers) {
                    throw Failures.noThread(firstKey);
                }
                future.complete(readPath.withoutStore(batch.keys()));
            } catch (Throwable e) {
                fail(e);
            }
        }

        void fail(Throwable failure) {
            boolean isReported = failure instanceof BulkLoadException; // key by key
            if (future.completeExceptionally(failure)
                    && !isReported
                    && (failure instanceof CacheException || failure instanceof Error)) {
                batch.fails();
            }
        }
    }
}
