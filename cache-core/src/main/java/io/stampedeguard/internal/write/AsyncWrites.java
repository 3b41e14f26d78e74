package io.stampedeguard.internal.write;

import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.thread.AsyncThreads;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The changes of callers who do not wait for them. A thread for asynchronous callers makes each, and then completes its future. One
 * that no thread has begun when the cache is closed is never made: one compare-and-set decides. <em>Thread-safe.</em>
 */
public final class AsyncWrites implements AutoCloseable {
    private final AsyncThreads threads;
    private final String cache;
    private final Set<Write> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public AsyncWrites(String cache, AsyncThreads threads) {
        this.cache = cache;
        this.threads = threads;
    }

    /** Makes a change of a key. Does not block; the future fails with what the change throws. */
    @SuppressWarnings({"CatchingUnchecked", "FutureReturnValueIgnored"}) // user callback; the action does not throw
    public CompletableFuture<@Nullable Void> begin(String storeKey, Runnable change) {
        Write write = new Write(change);
        pending.add(write);
        write.ended.whenComplete((nothing, failure) -> pending.remove(write));
        try {
            threads.read(write::make, Runnable::run);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            write.giveUp(Failures.rejectedByAsyncExecutor(storeKey, e));
        }
        if (closed) {
            write.giveUp(Failures.closedMeanwhile(cache));
        }
        return write.future;
    }

    /** Returns a future that completes when all changes in progress have ended. */
    public CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(
                pending.stream().map(write -> write.ended).toArray(CompletableFuture<?>[]::new));
    }

    /** Fails the changes that no thread has begun. Their threads are stopped afterwards. */
    @Override
    public void close() {
        closed = true;
        pending.forEach(write -> threads.completeLate(() -> write.giveUp(Failures.closedMeanwhile(cache))));
    }

    private static final class Write {
        private final Runnable change;
        private final AtomicBoolean begun = new AtomicBoolean();

        /** The caller's, who may complete it before the change is made. */
        private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();

        /** Complete when the change has ended, or is never made, and the caller has been told so. */
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

        private Write(Runnable change) {
            this.change = change;
        }

        private void giveUp(RuntimeException why) {
            if (begun.compareAndSet(false, true)) {
                end(why);
            }
        }

        private void end(@Nullable Throwable failure) {
            if (failure == null) {
                future.complete(null);
            } else {
                future.completeExceptionally(failure);
            }
            ended.complete(null);
        }

        /** Makes the change, unless it was given up; returns what completes the future. Does not throw. */
        @SuppressWarnings("CatchingUnchecked") // user callbacks; the future reports their Errors
        private Runnable make() {
            if (!begun.compareAndSet(false, true)) {
                return () -> {};
            }
            try {
                change.run();
                return () -> end(null);
            } catch (Throwable e) {
                return () -> end(e);
            }
        }
    }
}
