package io.stampedeguard.internal.read;

import io.stampedeguard.internal.call.CallerContext;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.StageLoader;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.FlightWait;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The callers of {@code getAsync}, {@code getAllAsync}, and {@code refresh}, which is a {@code getAsync} that nothing cached answers.
 * A call that the near cache answers is complete on return. Others take the steps of {@link ReadPath} and {@link MissResolver} on
 * {@link AsyncThreads}:
 * <ol>
 *   <li>A thread reads the store; values are answers.
 *   <li>If the only key of a call has a flight, the call waits for it <em>without a thread</em>; afterwards it has its answer, or
 *       begins again.
 *   <li>Otherwise, a thread of the cache, which may block, resolves the keys. A flight begins on the thread that leads it and not
 *       before: a flight whose leader queues for a thread would delay callers that have their own threads.
 * </ol>
 *
 * <p>Between two steps a call is <em>paused</em>, and whoever resumes it first goes on with it alone: the thread for which it queues,
 * the flight for which it waits, or the timer that ends it after the {@code waitTimeout}. A call whose thread leads, or joins a
 * flight, is not paused: that thread minds the time itself. If the owner of the future completes it, the call takes no further step,
 * but still completes the flight that it leads.
 *
 * <p>Futures complete on the executor of the builder, if there is one: a thread that leads, the timer, and {@code close} leave calls
 * to it. If it is late by 50 ms, a thread of its own completes them. <em>Thread-safe.</em>
 */
public final class AsyncReads<K, V> implements AutoCloseable {
    /** As long as a leader waits for the {@code loaderExecutor} to begin. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final @Nullable CallerContext callers;
    private final AsyncThreads threads;
    private final ReadPath<K, V> readPath;
    private final MissResolver<K, V> misses;
    private final SingleFlight<LoadResult<V>> flights;
    private final FlightWait<K, V> flightWait;
    private final String cache;
    private final TimeSource time;
    private final long waitNanos;
    private final Set<Call<?>> pending = ConcurrentHashMap.newKeySet();
    private final Set<Consumer<Throwable>> lookups = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public AsyncReads(
            CacheContext context,
            @Nullable CallerContext callers,
            AsyncThreads threads,
            ReadPath<K, V> readPath,
            MissResolver<K, V> misses,
            SingleFlight<LoadResult<V>> flights,
            FlightWait<K, V> flightWait) {
        this.callers = callers;
        this.threads = threads;
        this.readPath = readPath;
        this.misses = misses;
        this.flights = flights;
        this.flightWait = flightWait;
        this.cache = context.name();
        this.time = context.time();
        this.waitNanos = context.policy().waitTimeout().toNanos();
    }

    /** Returns a loader that waits for the stage of an asynchronous loader. */
    public Loader<K, V> waitingFor(AsyncLoader<? super K, ? extends V> loader) {
        return new StageLoader<>(loader, time);
    }

    public CompletableFuture<@Nullable V> get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = readPath.nearHit(key, loader);
        if (copy != null) {
            return CompletableFuture.completedFuture(readPath.forCaller(copy.value()));
        }
        return one(key, LoadFunction.ofEach(loader));
    }

    /** Loads a key whatever is cached; the answer is what was loaded since this call. */
    public CompletableFuture<@Nullable V> refresh(K key, Loader<? super K, ? extends V> loader) {
        return one(key, LoadFunction.reloading(loader));
    }

    private CompletableFuture<@Nullable V> one(K key, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = readPath.batch(Collections.singletonList(key), loader);
        return new Call<@Nullable V>(batch, true, loader.reloads(), batch::only).begin();
    }

    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = readPath.batch(keys, loader);
        return new Call<>(batch, false, false, batch::result).begin();
    }

    /** Returns a future of a look-up, which a thread that reads the store makes; it does not wait for anything else. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
    public CompletableFuture<LookupResult<V>> lookup(K key) {
        LookupResult<V> copy = readPath.nearLookup(key);
        if (copy != null) {
            return CompletableFuture.completedFuture(copy);
        }
        String storeKey = readPath.storeKey(key);
        CompletableFuture<LookupResult<V>> future = threads.supply(
                () -> readPath.cached(key, storeKey, true), e -> Failures.rejectedByAsyncExecutor(storeKey, e));
        Consumer<Throwable> fail = failure -> threads.completeLate(() -> future.completeExceptionally(failure));
        lookups.add(fail);
        TimeSource.Timer timer = time.schedule(waitNanos, () -> fail.accept(Failures.noThread(storeKey)));
        future.whenComplete((result, failure) -> {
            timer.stop();
            lookups.remove(fail);
        });
        if (closed) {
            fail.accept(Failures.closedMeanwhile(cache));
        }
        return future;
    }

    /** Returns a future that completes when all calls in progress have completed. */
    public CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(pending.stream().map(call -> call.future).toArray(CompletableFuture<?>[]::new));
    }

    /** Fails the calls in progress, then stops the threads. */
    @Override
    public void close() {
        closed = true;
        lookups.forEach(fail -> fail.accept(Failures.closedMeanwhile(cache)));
        pending.forEach(call -> hand(call, () -> call.fail(Failures.closedMeanwhile(cache)), 0, Runnable::run));
        threads.close();
    }

    /** Leaves the end of a call to the given executor; if that is late, to a thread of its own. {@code otherwise}: if there is none. */
    private void hand(Call<?> call, Runnable end, long patienceNanos, Executor otherwise) {
        boolean isOffered = threads.offer(end);
        try {
            if (isOffered) {
                time.schedule(Math.max(PATIENCE_NANOS, patienceNanos), () -> {
                    if (!call.future.isDone()) {
                        threads.completeLate(end);
                    }
                });
            }
        } catch (RuntimeException | OutOfMemoryError noTimer) {
            isOffered = false;
        }
        if (!isOffered) {
            otherwise.execute(end);
        }
    }

    /** Where a call can go on, and what is to be done if its future completes there. Compared by identity. */
    private record Pause(Runnable next, Runnable abandoned) {}

    /** One call that the near cache did not answer. Its batch belongs to the thread that has resumed it. */
    private final class Call<R extends @Nullable Object> {
        private final MissResolver<K, V>.Batch batch;
        private final boolean isForOneKey;
        private final boolean reloads;
        private final Supplier<R> result;
        private final CompletableFuture<R> future = new CompletableFuture<>();

        /** Null while a thread is at work for the call. */
        private final AtomicReference<@Nullable Pause> paused = new AtomicReference<>();

        private volatile boolean isLate;

        private Call(MissResolver<K, V>.Batch batch, boolean isForOneKey, boolean reloads, Supplier<R> result) {
            this.batch = batch;
            this.isForOneKey = isForOneKey;
            this.reloads = reloads;
            this.result = result;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
        CompletableFuture<R> begin() {
            pending.add(this);
            TimeSource.Timer timer = time.schedule(batch.deadline().remainingNanos(), this::timeIsUp);
            future.whenComplete((value, failure) -> {
                timer.stop();
                pending.remove(this);
                abandonPause();
            });
            attempt(this::readWhatIsNotNear);
            if (closed) {
                fail(Failures.closedMeanwhile(cache));
            }
            return future;
        }

        private void readWhatIsNotNear() {
            List<NamedKey<K>> unread = isForOneKey ? batch.keys() : readPath.nearHits(batch);
            if (unread.isEmpty()) {
                answerAll(misses.taken(List.of(), batch));
            } else {
                batch.loader = callers == null ? batch.loader : callers.carried(batch.loader); // on its caller's thread
                read(unread, failure -> fail(failure.apply(unread.get(0).storeKey())));
            }
        }

        /** Pauses this call. Whatever would resume it is to be started afterwards. */
        private Pause pause(Runnable next, Runnable abandoned) {
            Pause pause = new Pause(next, abandoned);
            paused.set(pause);
            if (future.isDone()) { // its owner completed it before it was paused
                abandonPause();
            }
            return pause;
        }

        private void abandonPause() {
            Pause last = paused.getAndSet(null);
            if (last != null) {
                last.abandoned.run();
            }
        }

        /** Makes the call that of this thread; returns false if another thread has it, or its future is complete. */
        private boolean resume(Pause pause) {
            return paused.compareAndSet(pause, null);
        }

        private void goOn(Pause pause) {
            if (resume(pause)) {
                attempt(pause.next);
            }
        }

        /** Runs on the timer thread. */
        private void timeIsUp() {
            isLate = true;
            endIfLate();
        }

        /** Hands a paused call whose time is over to a thread that ends it; to be called again after each pause has begun. */
        private void endIfLate() {
            if (isLate && paused.get() != null) {
                Runnable end = () -> {
                    Pause last = paused.get();
                    if (last != null) {
                        goOn(last);
                    }
                };
                hand(this, end, batch.deadline().remainingNanos(), threads::completeLate);
            }
        }

        /** Queues for a thread; {@code otherwise} takes why there is none. */
        private void queue(Consumer<Function<String, CacheException>> otherwise, Consumer<Pause> start) {
            Pause queued = pause(() -> otherwise.accept(Failures::noThread), () -> {});
            try {
                start.accept(queued);
            } catch (Throwable e) {
                Thrown.rethrowFatal(e);
                if (resume(queued)) {
                    otherwise.accept(storeKey -> Failures.rejectedByAsyncExecutor(storeKey, e));
                }
            }
            endIfLate();
        }

        /** Reads the store, and continues with what was read. */
        private void read(List<NamedKey<K>> unread, Consumer<Function<String, CacheException>> otherwise) {
            queue(
                    otherwise,
                    queued -> threads.read(() -> lookups(queued, unread), lookups -> {
                        if (lookups != null) {
                            attempt(() -> answerAll(misses.taken(lookups, batch)));
                        }
                    }));
        }

        /** Does not throw; returns {@code null} if the call has ended. While it reads, the call is paused as well. */
        @SuppressWarnings("CatchingUnchecked") // user callbacks
        private @Nullable List<Lookup<K, V>> lookups(Pause queued, List<NamedKey<K>> unread) {
            if (!resume(queued)) {
                return null;
            }
            Pause reading = pause(() -> failUnread(unread, Failures::noAnswer), () -> {});
            endIfLate();
            try {
                List<Lookup<K, V>> lookups =
                        isForOneKey ? List.of(misses.readOnly(batch)) : misses.readAll(unread, batch);
                return resume(reading) ? lookups : null;
            } catch (WaitTimeoutException | WaitInterruptedException e) { // no connection to the store
                if (resume(reading)) {
                    attempt(() -> failUnread(unread, storeKey -> e));
                }
            } catch (Throwable e) {
                if (resume(reading)) {
                    fail(e);
                }
            }
            return null;
        }

        private void failUnread(List<NamedKey<K>> unread, Function<String, CacheException> failure) {
            batch.unread(unread, failure);
            end();
        }

        /** Answers keys that the store has not answered. */
        private void answerAll(List<Lookup<K, V>> missed) {
            List<Lookup<K, V>> open = misses.unanswered(missed, batch);
            if (open.isEmpty()) {
                end();
                return;
            }
            Lookup<K, V> first = open.get(0);
            var membership = isForOneKey ? flights.follow(first.storeKey()) : null;
            if (membership == null) {
                queue(
                        failure -> failAll(open, failure),
                        queued -> threads.lead(() -> {
                            if (resume(queued)) {
                                attempt(() -> lead(open));
                            }
                        }));
            } else {
                KeyRequest<K, V> request = new KeyRequest<>(first, reloads);
                request.join(membership);
                follow(request);
            }
        }

        private void failAll(List<Lookup<K, V>> open, Function<String, CacheException> failure) {
            open.forEach(lookup -> batch.failure(lookup, failure.apply(lookup.storeKey())));
            end();
        }

        /** Leads on a thread of the cache, and leaves the rest to the thread that completes futures, whatever has happened. */
        @SuppressWarnings("CatchingUnchecked") // user callbacks; the future reports the loader's Errors
        private void lead(List<Lookup<K, V>> open) {
            try {
                if (!isForOneKey) {
                    misses.resolveAll(open, batch);
                } else {
                    List<KeyRequest<K, V>> followed =
                            misses.lead(List.of(new KeyRequest<>(open.get(0), reloads)), batch);
                    if (!followed.isEmpty()) {
                        follow(followed.get(0));
                        return;
                    }
                }
            } catch (Throwable e) {
                leave(pause(() -> fail(e), () -> {}));
                return;
            }
            leave(pause(this::end, () -> {}));
        }

        /** Waits for a flight without a thread. */
        private void follow(KeyRequest<K, V> followed) {
            long began = flightWait.begin(followed);
            Pause waits = pause(() -> landed(followed, began), () -> flightWait.abandon(followed));
            if (isLate || !followed.membership().whenCompleted(() -> goOn(waits))) {
                leave(waits);
            } else {
                endIfLate();
            }
        }

        /** Takes the result of a flight that is complete, or of which this call has waited until its time was over. */
        private void landed(KeyRequest<K, V> followed, long beganNanos) {
            Lookup<K, V> lookup = followed.lookup();
            LoadResult<V> landed;
            try {
                landed = flightWait.end(followed, batch.deadline(), beganNanos);
            } catch (WaitTimeoutException e) {
                endLate(followed, e);
                return;
            }
            if (landed != null) {
                batch.outcome(lookup, landed);
                end();
                return;
            }
            read(batch.keys(), failure -> {
                if (isLate) { // it has waited, and not for a thread
                    endLate(followed, Failures.waitTimeout(lookup.storeKey()));
                } else {
                    failAll(List.of(lookup), failure);
                }
            });
        }

        private void endLate(KeyRequest<K, V> followed, WaitTimeoutException e) {
            followed.noteTimeout(e);
            misses.readAgain(List.of(followed), batch);
            end();
        }

        /** Goes on where futures complete: this thread may be one that leads. */
        private void leave(Pause left) {
            threads.completeLed(() -> goOn(left));
            endIfLate();
        }

        private void end() {
            if (closed) { // close() has left the end to the executor, and then stopped the threads
                fail(Failures.closedMeanwhile(cache));
            } else {
                future.complete(result.get());
            }
        }

        @SuppressWarnings("CatchingUnchecked") // user callbacks; the future reports the loader's Errors
        private void attempt(Runnable step) {
            try {
                step.run();
            } catch (Throwable e) {
                fail(e);
            }
        }

        /** Fails the future, unless it is complete. Reports it first: users of the future may read what was reported. */
        void fail(Throwable thrown) {
            Throwable failure = closed ? Failures.closedMeanwhile(cache) : thrown;
            try {
                if (!future.isDone() && (failure instanceof CacheException || failure instanceof Error)) {
                    batch.fails(); // unless it was reported key by key
                }
            } finally {
                future.completeExceptionally(failure);
            }
        }
    }
}
