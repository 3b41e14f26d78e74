package io.stampedeguard.internal.read;

import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
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
 * The asynchronous calls in progress, whose steps different threads take. Between two steps, and while it reads the store, a call is
 * <em>paused</em>, and whoever resumes it first goes on with it alone: the thread for which it queues, what it waits for, or the
 * timer that ends it after the {@code waitTimeout}. If the owner of the future completes it, the call takes no further step.
 *
 * <p>Futures complete on the executor of the builder, if there is one: a thread that leads, the timer, and {@code close} leave calls
 * to it. If it is late by 50 ms, a thread of its own completes them. <em>Thread-safe.</em>
 */
final class AsyncCalls implements AutoCloseable {
    /** As long as a leader waits for the {@code loaderExecutor} to begin. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String cache;
    private final AsyncThreads threads;
    private final TimeSource time;
    private final Set<Call<?>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    AsyncCalls(String cache, AsyncThreads threads, TimeSource time) {
        this.cache = cache;
        this.threads = threads;
        this.time = time;
    }

    /** Returns a future that completes when all calls in progress have completed. */
    CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(pending.stream().map(call -> call.future).toArray(CompletableFuture<?>[]::new));
    }

    /** Fails the calls in progress, then stops the threads. */
    @Override
    public void close() {
        closed = true;
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
    record Pause(Runnable next, Runnable abandoned) {}

    /** One call. What its steps share belongs to the thread that has resumed it. */
    static class Call<R extends @Nullable Object> {
        private final AsyncCalls calls;
        private final Deadline deadline;
        private final CompletableFuture<R> future = new CompletableFuture<>();

        /** Null while a thread is at work for the call. */
        private final AtomicReference<@Nullable Pause> paused = new AtomicReference<>();

        private volatile boolean isLate;

        Call(AsyncCalls calls, Deadline deadline) {
            this.calls = calls;
            this.deadline = deadline;
        }

        /** Takes the first step, on the thread of the caller. */
        @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
        CompletableFuture<R> begin(Runnable first) {
            calls.pending.add(this);
            TimeSource.Timer timer = calls.time.schedule(deadline.remainingNanos(), this::timeIsUp);
            future.whenComplete((value, failure) -> {
                timer.stop();
                calls.pending.remove(this);
                abandonPause();
            });
            attempt(first);
            if (calls.closed) {
                fail(Failures.closedMeanwhile(calls.cache));
            }
            return future;
        }

        /** Pauses this call. Whatever would resume it is to be started afterwards. */
        Pause pause(Runnable next, Runnable abandoned) {
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

        /** Resumes this call, and takes the next step, unless another thread does. */
        void goOn(Pause pause) {
            if (resume(pause)) {
                attempt(pause.next);
            }
        }

        /** Runs on the timer thread. */
        private void timeIsUp() {
            isLate = true;
            endIfLate();
        }

        /** Returns whether its time is over. */
        boolean isLate() {
            return isLate;
        }

        /** Hands a paused call whose time is over to a thread that ends it; to be called again after each pause has begun. */
        void endIfLate() {
            if (isLate && paused.get() != null) {
                Runnable end = () -> {
                    Pause last = paused.get();
                    if (last != null) {
                        goOn(last);
                    }
                };
                calls.hand(this, end, deadline.remainingNanos(), calls.threads::completeLate);
            }
        }

        /** Queues for a thread of the cache that may block, which takes the next step; {@code otherwise} takes why there is none. */
        void lead(Runnable next, Consumer<Function<String, CacheException>> otherwise) {
            queue(
                    otherwise,
                    queued -> calls.threads.lead(() -> {
                        if (resume(queued)) {
                            attempt(next);
                        }
                    }));
        }

        /**
         * Queues for a thread that reads the store: {@code then} takes what it has read, {@code otherwise} why there is no thread, and
         * {@code unread} why there is no answer in time.
         */
        <T> void read(
                Supplier<T> reading,
                Consumer<T> then,
                Consumer<Function<String, CacheException>> otherwise,
                Consumer<Function<String, CacheException>> unread) {
            queue(
                    otherwise,
                    queued -> calls.threads.read(
                            () -> resume(queued) ? read(reading, then, unread) : () -> {}, Runnable::run));
        }

        /** Does not throw; returns what comes next, if nothing has ended the call. While it reads, the call is paused as well. */
        @SuppressWarnings("CatchingUnchecked") // user callbacks
        private <T> Runnable read(
                Supplier<T> reading, Consumer<T> then, Consumer<Function<String, CacheException>> unread) {
            Pause pause = pause(() -> unread.accept(Failures::noAnswer), () -> {});
            endIfLate();
            try {
                T read = reading.get();
                if (resume(pause)) {
                    return () -> attempt(() -> then.accept(read));
                }
            } catch (WaitTimeoutException | WaitInterruptedException e) { // no connection to the store
                if (resume(pause)) {
                    attempt(() -> unread.accept(storeKey -> e));
                }
            } catch (Throwable e) {
                if (resume(pause)) {
                    fail(e);
                }
            }
            return () -> {};
        }

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

        /** Goes on where futures complete: this thread may be one that leads. */
        void leave(Pause left) {
            calls.threads.completeLed(() -> goOn(left));
            endIfLate();
        }

        @SuppressWarnings("CatchingUnchecked") // user callbacks; the future reports the loader's Errors
        private void attempt(Runnable step) {
            try {
                step.run();
            } catch (Throwable e) {
                fail(e);
            }
        }

        /** Completes the future, unless it is complete. */
        void end(Supplier<R> result) {
            if (calls.closed) { // close() has left the end to the executor, and then stopped the threads
                fail(Failures.closedMeanwhile(calls.cache));
            } else {
                future.complete(result.get());
            }
        }

        /** Fails the future, unless it is complete. Reports it first: users of the future may read what was reported. */
        void fail(Throwable thrown) {
            Throwable failure = calls.closed ? Failures.closedMeanwhile(calls.cache) : thrown;
            try {
                if (!future.isDone() && (failure instanceof CacheException || failure instanceof Error)) {
                    reportFailure();
                }
            } finally {
                future.completeExceptionally(failure);
            }
        }

        /** Reports that it fails as a whole, unless that was reported already, or is not counted. */
        void reportFailure() {}
    }
}
