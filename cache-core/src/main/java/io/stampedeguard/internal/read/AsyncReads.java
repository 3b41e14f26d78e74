package io.stampedeguard.internal.read;

import io.stampedeguard.internal.call.CallerContext;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadFunction.AgeBound;
import io.stampedeguard.internal.call.StageLoader;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.FlightWait;
import io.stampedeguard.internal.read.AsyncCalls.Call;
import io.stampedeguard.internal.read.AsyncCalls.Pause;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The callers of {@code getAsync}, {@code getAllAsync}, {@code lookupAsync}, and {@code refresh}, which is a {@code getAsync} that
 * nothing cached answers. A call that the near cache answers is complete on return. Others are {@link AsyncCalls}, which take the
 * steps of {@link ReadPath} and {@link MissResolver} on {@link AsyncThreads}:
 * <ol>
 *   <li>A thread reads the store; values are answers. For a look-up, so is nothing. A call for one key does not read if another
 *       caller of this process has just found nothing, and loads.
 *   <li>If the only key of a call has a flight, the call waits for it <em>without a thread</em>; afterwards it has its answer, or
 *       begins again.
 *   <li>Otherwise, a thread of the cache, which may block, resolves the keys. A flight begins on the thread that leads it and not
 *       before: a flight whose leader queues for a thread would delay callers that have their own threads.
 * </ol>
 *
 * <p>A call whose thread leads, or joins a flight, is not paused: that thread minds the time itself. If the owner of the future
 * completes it, the call still completes the flight that it leads. <em>Thread-safe.</em>
 */
public final class AsyncReads<K, V> implements AutoCloseable {
    private final @Nullable CallerContext callers;
    private final ReadPath<K, V> readPath;
    private final MissResolver<K, V> misses;
    private final SingleFlight<LoadResult<V>> flights;
    private final FlightWait<K, V> flightWait;
    private final TimeSource time;
    private final Duration waitTimeout;
    private final AsyncCalls calls;

    public AsyncReads(
            CacheContext context,
            @Nullable CallerContext callers,
            AsyncThreads threads,
            ReadPath<K, V> readPath,
            MissResolver<K, V> misses,
            SingleFlight<LoadResult<V>> flights,
            FlightWait<K, V> flightWait) {
        this.callers = callers;
        this.readPath = readPath;
        this.misses = misses;
        this.flights = flights;
        this.flightWait = flightWait;
        this.time = context.time();
        this.waitTimeout = context.policy().waitTimeout();
        this.calls = new AsyncCalls(context.name(), threads, time);
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
        return one(key, LoadFunction.bounded(loader, AgeBound.fromNow(null, time)));
    }

    /** Returns a future of a value that is not older, past the near cache. */
    public CompletableFuture<@Nullable V> getNotOlderThan(
            K key, Duration maxAge, Loader<? super K, ? extends V> loader) {
        return one(key, LoadFunction.bounded(loader, AgeBound.fromNow(maxAge, time)));
    }

    private CompletableFuture<@Nullable V> one(K key, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = readPath.batch(Collections.singletonList(key), loader);
        return new Read<@Nullable V>(batch, true, batch::only).begin();
    }

    public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys, LoadFunction<K, V> loader) {
        MissResolver<K, V>.Batch batch = readPath.batch(keys, loader);
        return new Read<>(batch, false, batch::result).begin();
    }

    /** Returns a future of a look-up, which a thread that reads the store makes; it does not wait for a load. */
    public CompletableFuture<LookupResult<V>> lookup(K key) {
        LookupResult<V> copy = readPath.nearLookup(key);
        if (copy != null) {
            return CompletableFuture.completedFuture(copy);
        }
        String storeKey = readPath.storeKey(key);
        Call<LookupResult<V>> call = new Call<>(calls, Deadline.in(waitTimeout, time));
        Consumer<Function<String, CacheException>> fail = failure -> call.fail(failure.apply(storeKey));
        return call.begin(() ->
                call.read(() -> readPath.cached(key, storeKey, true), found -> call.end(() -> found), fail, fail));
    }

    /** Returns a future that completes when all calls in progress have completed. */
    public CompletableFuture<Void> ended() {
        return calls.ended();
    }

    /** Fails the calls in progress, then stops the threads. */
    @Override
    public void close() {
        calls.close();
    }

    /** One call that may load, and that the near cache did not answer. */
    private final class Read<R extends @Nullable Object> extends Call<R> {
        private final MissResolver<K, V>.Batch batch;
        private final boolean isForOneKey;
        private final Supplier<R> result;

        private Read(MissResolver<K, V>.Batch batch, boolean isForOneKey, Supplier<R> result) {
            super(calls, batch.deadline());
            this.batch = batch;
            this.isForOneKey = isForOneKey;
            this.result = result;
        }

        CompletableFuture<R> begin() {
            return begin(this::readWhatIsNotNear);
        }

        private void readWhatIsNotNear() {
            List<NamedKey<K>> unread = isForOneKey ? batch.keys() : readPath.nearHits(batch);
            if (unread.isEmpty()) {
                answerAll(misses.taken(List.of(), batch));
            } else {
                batch.loader = callers == null ? batch.loader : callers.carried(batch.loader); // on its caller's thread
                read(
                        unread,
                        () -> isForOneKey ? readPath.lookUpUnlessFollowed(batch) : misses.readAll(unread, batch),
                        failure -> fail(failure.apply(unread.get(0).storeKey())));
            }
        }

        /** Reads the only key, whether or not it has a flight. */
        private void readOnly(Consumer<Function<String, CacheException>> otherwise) {
            read(batch.keys(), () -> readPath.lookUpOnly(batch), otherwise);
        }

        /** Reads the store, and continues with what was read. */
        private void read(
                List<NamedKey<K>> unread,
                Supplier<List<Lookup<K, V>>> reading,
                Consumer<Function<String, CacheException>> otherwise) {
            read(reading, lookups -> answerAll(misses.taken(lookups, batch)), otherwise, failure -> {
                batch.unread(unread, failure);
                end();
            });
        }

        /** Answers keys that the store has not answered. */
        private void answerAll(List<Lookup<K, V>> missed) {
            List<Lookup<K, V>> open = misses.unanswered(missed, batch);
            if (open.isEmpty()) {
                end();
                return;
            }
            var membership = isForOneKey ? flights.follow(open.get(0).storeKey()) : null;
            if (membership != null) {
                KeyRequest<K, V> request = new KeyRequest<>(open.get(0), batch.loader.reloads());
                request.join(membership);
                follow(request);
            } else if (open.get(0).isRead()) {
                lead(() -> lead(open), failure -> failAll(open, failure));
            } else { // the flight is over: what it has stored is a hit, which must not wait for a thread that leads
                readOnly(failure -> failAll(open, failure));
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
                    List<KeyRequest<K, V>> followed = misses.lead(KeyRequest.of(open, batch.loader.reloads()), batch);
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
            if (isLate() || !followed.membership().whenCompleted(() -> goOn(waits))) {
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
            readOnly(failure -> {
                if (isLate()) { // it has waited, and not for a thread
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

        private void end() {
            end(result);
        }

        @Override
        void reportFailure() {
            batch.fails(); // unless it was reported key by key
        }
    }
}
