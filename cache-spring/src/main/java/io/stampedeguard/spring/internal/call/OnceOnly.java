package io.stampedeguard.spring.internal.call;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheOperationInvoker.ThrowableWrapper;

/**
 * The rest of a caller's invocation: it proceeds once. A second time, Spring would leave out the interceptors between its cache and the
 * method, such as that of {@code @Transactional}. Throws what the method has thrown, without Spring's wrapper. <em>Thread-safe.</em>
 *
 * @param rest what computes the result, or a future of it
 * @param begun whether it has been called
 */
record OnceOnly<T>(Callable<? extends @Nullable T> rest, AtomicBoolean begun) {
    static <T> OnceOnly<T> of(Callable<? extends @Nullable T> rest) {
        return new OnceOnly<>(rest, new AtomicBoolean());
    }

    static <T> OnceOnly<CompletableFuture<T>> ofFuture(Supplier<CompletableFuture<T>> rest) {
        return of(rest::get);
    }

    @Nullable
    T call() throws Exception {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("the invocation of this caller has proceeded already");
        }
        try {
            return rest.call();
        } catch (ThrowableWrapper e) {
            throw thrown(e.getOriginal());
        }
    }

    /** Returns what a method has thrown, to be thrown on; throws it if it is an {@link Error}. */
    private static Exception thrown(Throwable original) {
        if (original instanceof Error error) {
            throw error;
        }
        return original instanceof Exception exception ? exception : new IllegalStateException(original);
    }
}
