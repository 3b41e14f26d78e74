package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.loader.AdaptiveAsyncLoader;
import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.AsyncLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Adapts an asynchronous loader: the thread that leads waits for the stage, so that {@code loadTimeout}, interrupt, and permit
 * work as for any loader. That thread is always one of the cache: on any other, the stage might need the very thread that waits for
 * it. The stage is cancelled if the load is cut off. <em>Thread-safe.</em>
 */
public record StageLoader<K, V>(AsyncLoader<? super K, ? extends V> loader, TimeSource time)
        implements AdaptiveLoader<K, V> {
    /** Longer than any load: the wait ends with the stage or at the {@code loadTimeout}. */
    private static final long LONG_NANOS = Long.MAX_VALUE / 4;

    private record End<V>(@Nullable V value, @Nullable Throwable failure) {}

    @Override
    @SuppressWarnings("unchecked") // what is loaded and shown is only read
    public LoadedValue<V> load(K key, @Nullable PreviousValue<V> previous) throws Exception {
        if (loader instanceof AdaptiveAsyncLoader<?, ?>) {
            AdaptiveAsyncLoader<K, V> adaptive = (AdaptiveAsyncLoader<K, V>) loader;
            return requireNonNull(
                    await(adaptive.load(key, previous)), "the stage of the adaptive loader completed with null");
        }
        return LoadedValue.of(this.<V>await(loader.load(key)));
    }

    private <T> @Nullable T await(@Nullable CompletionStage<? extends @Nullable T> begun) throws Exception {
        CompletionStage<? extends @Nullable T> stage =
                requireNonNull(begun, "the asynchronous loader returned null instead of a stage");
        AtomicReference<@Nullable End<T>> end = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(1);
        stage.whenComplete((value, failure) -> {
            end.set(new End<>(value, failure));
            over.countDown();
        });
        try {
            while (!time.await(over, LONG_NANOS)) {}
        } catch (InterruptedException e) {
            cancel(stage, e);
            throw e;
        }
        return resultOf(requireNonNull(end.get()));
    }

    private static <V> @Nullable V resultOf(End<V> end) throws Exception {
        if (end.failure() == null) {
            return end.value();
        }
        Throwable cause = unwrapped(end.failure());
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof Exception exception && !(cause instanceof InterruptedException)) {
            throw exception;
        }
        throw new ExecutionException(cause); // another thread was interrupted, not the waiting one
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable last = failure;
        for (Throwable at : Thrown.withCauses(failure)) {
            last = at;
            if (!(at instanceof CompletionException || at instanceof ExecutionException)) {
                break;
            }
        }
        return last;
    }

    /** Cancels the stage, if it can be cancelled; otherwise it continues, and its result is discarded. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    private static void cancel(CompletionStage<?> stage, InterruptedException why) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            why.addSuppressed(e);
        }
    }
}
