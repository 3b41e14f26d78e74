package io.stampedeguard.spring.internal.call;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheOperationInvoker.ThrowableWrapper;

/**
 * The rest of a caller's invocation: it proceeds once. A second time, Spring would leave out the interceptors between its cache and the
 * method, such as that of {@code @Transactional}. Who calls it again, perhaps on another thread, waits for the end of the first call,
 * and gets what that has returned. Throws what the method has thrown, without Spring's wrapper. <em>Thread-safe.</em>
 */
final class OnceOnly<T> {
    private final Callable<? extends @Nullable T> rest;

    /** From the first call on: a hit needs none. */
    private @Nullable FutureTask<@Nullable T> task;

    private OnceOnly(Callable<? extends @Nullable T> rest) {
        this.rest = rest;
    }

    /** Returns the invocation whose rest computes the result, or a future of it. */
    static <T> OnceOnly<T> of(Callable<? extends @Nullable T> rest) {
        return new OnceOnly<>(rest);
    }

    static <T> OnceOnly<CompletableFuture<T>> ofFuture(Supplier<CompletableFuture<T>> rest) {
        return of(rest::get);
    }

    /** Returns whether the next call is the first one: only its result is sure to be read from now on. */
    @SuppressWarnings("FutureReturnValueIgnored") // the next call runs it
    synchronized boolean begin() {
        boolean isFirst = task == null;
        task();
        return isFirst;
    }

    @SuppressWarnings("unchecked") // what it computes is only read
    private synchronized FutureTask<@Nullable T> task() {
        FutureTask<@Nullable T> begun = task;
        if (begun == null) {
            begun = new FutureTask<>((Callable<@Nullable T>) rest);
            task = begun;
        }
        return begun;
    }

    /** Proceeds, unless it has; the result is that of the next call. */
    void run() {
        task().run();
    }

    @Nullable
    T call() throws Exception {
        FutureTask<@Nullable T> begun = task();
        begun.run();
        try {
            return begun.get();
        } catch (ExecutionException e) {
            throw thrown(e.getCause() instanceof ThrowableWrapper wrapper ? wrapper.getOriginal() : e.getCause());
        }
    }

    /** Calls a method that returns a future; throws an exception if it is {@code null}. */
    @SuppressWarnings("unchecked") // what a future has is only read
    static CompletableFuture<@Nullable Object> begun(
            OnceOnly<? extends CompletableFuture<? extends @Nullable Object>> method) throws Exception {
        CompletableFuture<? extends @Nullable Object> future = method.call();
        if (future == null) {
            throw new IllegalStateException("the method returned null in place of a future");
        }
        return (CompletableFuture<@Nullable Object>) future;
    }

    /** Returns what a method has thrown, to be thrown on; throws it if it is an {@link Error}. */
    private static Exception thrown(@Nullable Throwable original) {
        if (original instanceof Error error) {
            throw error;
        }
        return original instanceof Exception exception ? exception : new IllegalStateException(original);
    }

    /** Completes a future with what the method has thrown itself: a dependent one would have an exception around it. */
    static void complete(
            CompletableFuture<@Nullable Object> answer, @Nullable Object result, @Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(result);
        } else {
            answer.completeExceptionally(failure);
        }
    }
}
