package io.stampedeguard.internal.read;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The path of one {@code getAsync}. A near-cache hit is answered at once; everything else takes the steps of {@link ReadPath} on
 * {@link AsyncThreads}:
 * <ol>
 *   <li>A thread reads the store; a value is the answer.
 *   <li>Otherwise, if the key has a flight, the call waits for it <em>without a thread</em>, and is notified when it completes.
 *   <li>If the key has no flight, a thread that may block begins one and leads it to its end. The flight begins on that thread
 *       and not before: a flight whose leader queues for a thread would delay callers that have their own threads.
 *   <li>When the flight has completed, the call has its answer, or begins again.
 * </ol>
 *
 * <p>A timer ends the call after the {@code waitTimeout} at any step, unless it leads. If the owner of the future completes it,
 * the call takes no further step, but still completes the flight that it leads. <em>Thread-safe.</em>
 */
public final class AsyncReadPath<K, V> implements AutoCloseable {
    private final AsyncThreads threads;
    private final ReadPath<K, V> readPath;
    private final StaleFallback<K, V> staleFallback;
    private final CallerFlights<K, V> flights;
    private final LeaderLoad<K, V> leaderLoad;
    private final String cache;
    private final Duration waitTimeout;
    private final TimeSource time;
    private final CacheEvents events;
    private final Set<Get> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public AsyncReadPath(
            CacheContext context,
            AsyncThreads threads,
            ReadPath<K, V> readPath,
            StaleFallback<K, V> staleFallback,
            CallerFlights<K, V> flights,
            LeaderLoad<K, V> leaderLoad) {
        this.threads = threads;
        this.readPath = readPath;
        this.staleFallback = staleFallback;
        this.flights = flights;
        this.leaderLoad = leaderLoad;
        this.cache = context.name();
        this.waitTimeout = context.policy().waitTimeout();
        this.time = context.time();
        this.events = context.events();
    }

    /** Returns a loader that waits for the stage of an asynchronous loader. */
    public Loader<K, V> waitingFor(AsyncLoader<? super K, ? extends V> loader) {
        return new StageLoader<>(loader, time);
    }

    public CompletableFuture<@Nullable V> get(K key, Loader<? super K, ? extends V> loader) {
        Copy<V> copy = readPath.nearHit(key, loader);
        return copy != null
                ? CompletableFuture.completedFuture(readPath.forCaller(copy.value()))
                : begin(new Get(key, loader));
    }

    private CompletableFuture<@Nullable V> begin(Get get) {
        pending.add(get);
        CompletableFuture<@Nullable V> future = get.begin(() -> pending.remove(get));
        if (closed) {
            get.fail(Failures.closedMeanwhile(cache));
        }
        return future;
    }

    /** Returns a future that completes when all calls in progress have completed. */
    public CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(pending.stream().map(get -> get.future).toArray(CompletableFuture<?>[]::new));
    }

    /** Fails the calls in progress, then stops the threads. */
    @Override
    public void close() {
        closed = true;
        pending.forEach(get -> get.fail(Failures.closedMeanwhile(cache)));
        threads.close();
    }

    /** One call that the near cache did not answer. <em>Thread-safe.</em> */
    private final class Get {
        private final K key;
        private final String storeKey;
        private final Loader<? super K, ? extends V> loader;
        private final boolean recursive;
        private final Deadline deadline;
        private final CompletableFuture<@Nullable V> future = new CompletableFuture<>();
        private final AtomicBoolean settled = new AtomicBoolean();
        private volatile boolean reads;
        private volatile boolean leads;
        private volatile boolean joins; // the thread that joins a flight looks at the deadline itself
        private volatile @Nullable Look<K, V> lastLook;
        private volatile @Nullable Wait waitsFor;

        /** A wait for a flight, which ends once. */
        private final class Wait {
            private final AtomicBoolean over = new AtomicBoolean();
            private final Look<K, V> look;
            private final Membership<LoadResult<V>> membership;
            private final long beganNanos = time.monotonicNanos();

            private Wait(Look<K, V> look, Membership<LoadResult<V>> membership) {
                this.look = look;
                this.membership = membership;
            }
        }

        private Get(K key, Loader<? super K, ? extends V> loader) {
            this.key = key;
            this.storeKey = readPath.storeKeyOf(key);
            this.loader = loader;
            this.recursive = flights.isLoading(storeKey);
            this.deadline = Deadline.in(waitTimeout, time);
        }

        /** Begins the call; its end is reported when the future completes, for whatever reason. */
        @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
        CompletableFuture<@Nullable V> begin(Runnable end) {
            TimeSource.Timer timer = time.schedule(deadline.remainingNanos(), this::timeIsUp);
            future.whenComplete((value, failure) -> {
                timer.stop();
                waitNoMore(waitsFor);
                end.run();
            });
            attempt(null, this::look);
            return future;
        }

        /** Fails the future, unless it is complete. */
        void fail(Throwable failure) {
            if (settled.compareAndSet(false, true)
                    && future.completeExceptionally(failure)
                    && (failure instanceof CacheException || failure instanceof Error)) {
                events.answer(AnswerSource.FAILED);
            }
        }

        private void answer(LoadResult<V> outcome) {
            answer(outcome.get(storeKey), () -> events.answer(outcome.source()));
        }

        /** Reports the answer first: users of the future may read what was reported. It completes even if a listener throws. */
        private void answer(@Nullable V value, Runnable report) {
            @Nullable V mine = readPath.forCaller(value); // before it is settled: a copy that fails fails the call
            if (isMineToSettle()) {
                try {
                    report.run();
                } finally {
                    future.complete(mine);
                }
            }
        }

        /** Returns true once, so that only one answer is reported: a value or a failure, whichever comes first. */
        private boolean isMineToSettle() {
            return !future.isDone() && settled.compareAndSet(false, true);
        }

        /** Reads the store, and continues with the result. */
        private void look() {
            try {
                threads.read(this::read, this::looked);
            } catch (Throwable e) {
                Thrown.rethrowFatal(e);
                throw Failures.rejectedByAsyncExecutor(storeKey, e);
            }
        }

        /** Does not throw; returns {@code null} if the call has ended. */
        @SuppressWarnings("CatchingUnchecked") // user callback
        private @Nullable Look<K, V> read() {
            if (future.isDone()) {
                return null;
            }
            reads = true;
            try {
                Look<K, V> look = readPath.look(key, storeKey, deadline.remaining());
                lastLook = look;
                reads = false;
                return look;
            } catch (WaitTimeoutException e) { // no connection to the store
                endWithoutStore(e);
            } catch (Throwable e) {
                fail(e);
            }
            return null;
        }

        /** Ends a call whose read got no answer: with a copy of the near cache, or the exception. */
        private void endWithoutStore(WaitTimeoutException e) {
            attempt(Look.unanswered(key, storeKey, Ticket.NONE), () -> {
                throw e;
            });
        }

        private void looked(@Nullable Look<K, V> look) {
            if (look != null) {
                attempt(look, () -> goOn(look));
            }
        }

        private void goOn(Look<K, V> look) {
            if (isServed(look)) {
                return;
            }
            LoadResult<V> recent = staleFallback.recent(look, due -> readPath.loadMissing(due, loader));
            if (recent != null) {
                answer(recent);
                return;
            }
            if (recursive) {
                throw LoadPermits.recursion(storeKey);
            }
            joins = true;
            Membership<LoadResult<V>> membership = flights.joinIfPresent(storeKey);
            if (membership != null) {
                follow(look, membership);
                return;
            }
            joins = false;
            lead(() -> attempt(look, () -> fly(look)));
            endIfTimeIsUp();
        }

        private boolean isServed(Look<K, V> look) {
            Stored<V> stored = readPath.served(look, loader);
            if (stored != null) {
                answer(stored.value(), () -> events.answer(stored.source(), stored.ageMillis()));
            }
            return stored != null;
        }

        private void fly(Look<K, V> look) {
            if (future.isDone()) {
                return;
            }
            joins = true;
            flights.joinAll(List.of(look), memberships -> {
                Membership<LoadResult<V>> membership = memberships.get(0);
                if (membership.leads()) {
                    leads = true;
                    settle(lead(look, membership.flight()));
                } else {
                    follow(look, membership);
                }
                return true;
            });
        }

        private LoadResult<V> lead(Look<K, V> look, Flight<LoadResult<V>> flight) {
            Led led = new Led();
            leaderLoad.of(LoadFunction.ofEach(loader), deadline, led).lead(List.of(KeyLoad.forCaller(look, flight)));
            return led.result();
        }

        /** The result of a flight that this call leads. */
        private final class Led implements LeaderLoad.Answers<K, V> {
            private @Nullable LoadResult<V> result;
            private @Nullable CacheException failure;

            @Override
            public void outcome(Look<K, V> look, LoadResult<V> brought) {
                result = brought;
            }

            @Override
            public void hit(Look<K, V> look) {
                throw new IllegalStateException("was read before: " + storeKey);
            }

            @Override
            public void failure(Look<K, V> look, CacheException why) {
                failure = why;
            }

            @Override
            public @Nullable LoadResult<V> insteadOfLoad(Look<K, V> look) {
                return staleFallback.insteadOfLoad(look);
            }

            LoadResult<V> result() {
                if (failure != null) {
                    throw failure;
                }
                return requireNonNull(result);
            }
        }

        private void follow(Look<K, V> look, Membership<LoadResult<V>> membership) {
            Wait begun = new Wait(look, membership);
            flights.begins(look);
            events.waits();
            waitsFor = begun;
            if (future.isDone()) { // its owner completed it before the wait existed
                waitNoMore(begun);
            } else if (deadline.isOver() || !membership.whenCompleted(() -> end(begun))) {
                end(begun);
            }
        }

        /** Ends a wait, unless it has ended. */
        private void waitNoMore(@Nullable Wait wait) {
            if (wait != null && wait.over.compareAndSet(false, true)) {
                events.waitsNoMore();
                wait.membership.leave();
            }
        }

        private void end(Wait ended) {
            if (!ended.over.compareAndSet(false, true)) {
                return;
            }
            events.waitsNoMore();
            if (future.isDone()) {
                ended.membership.leave();
                return;
            }
            attempt(ended.look, () -> {
                LoadResult<V> outcome;
                try {
                    outcome = flights.over(ended.look, ended.membership, deadline, ended.beganNanos);
                } catch (WaitTimeoutException e) {
                    lookOnce(ended.look, e);
                    return;
                }
                settle(outcome);
            });
        }

        /** What is in the store when the time is over is an answer. */
        private void lookOnce(@Nullable Look<K, V> last, WaitTimeoutException e) {
            if (last == null || !last.storeAnswers() || !isServed(readPath.look(key, storeKey, Duration.ZERO))) {
                throw e;
            }
        }

        private void settle(@Nullable LoadResult<V> outcome) {
            if (outcome == null) {
                again();
            } else {
                answer(outcome);
            }
        }

        private void again() {
            waitsFor = null;
            if (deadline.isOver()) { // the timer may have found the wait that has just ended
                lookOnce(lastLook, Failures.waitTimeout(storeKey));
                return;
            }
            joins = false;
            look();
            endIfTimeIsUp();
        }

        /** The timer may have passed while it was this thread's to look at the deadline. */
        private void endIfTimeIsUp() {
            if (deadline.isOver()) {
                timeIsUp();
            }
        }

        /** Runs on the timer thread; the work is handed to other threads. */
        private void timeIsUp() {
            if (!leads) {
                threads.completeLate(this::endLate);
            }
        }

        private void endLate() {
            Wait last = waitsFor;
            if (last != null) {
                end(last);
            } else if (reads) {
                endWithoutStore(Failures.noAnswer(storeKey));
            } else if (!leads && !joins) {
                attempt(lastLook, () -> {
                    throw Failures.noThread(storeKey);
                });
            }
        }

        private void lead(Runnable task) {
            try {
                threads.lead(task);
            } catch (Throwable e) {
                Thrown.rethrowFatal(e);
                throw Failures.rejectedByAsyncExecutor(storeKey, e);
            }
        }

        /** Runs a step. Its exceptions fail the future, unless there is something to answer instead ({@link StaleFallback}). */
        private void attempt(@Nullable Look<K, V> look, Runnable step) {
            attempt(() -> {
                try {
                    step.run();
                } catch (CacheException e) {
                    LoadResult<V> copy = look == null ? null : staleFallback.insteadOf(e, look);
                    if (copy == null) {
                        throw e;
                    }
                    answer(copy);
                }
            });
        }

        @SuppressWarnings("CatchingUnchecked") // user callback
        private void attempt(Runnable step) {
            try {
                step.run();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }
}
