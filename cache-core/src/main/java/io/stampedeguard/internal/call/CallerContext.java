package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.loader.ContextCarrier;
import io.stampedeguard.loader.LoadedValue;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Carries the contexts of callers to the threads that load for them. The carrier is a user callback: if it throws, the load does
 * without the context. <em>Thread-safe.</em>
 */
public record CallerContext(ContextCarrier carrier, CacheEvents events) {
    /** Returns a loader with the present context of this thread; the same one if it has a context already. */
    public <K, V> LoadFunction<K, V> carried(LoadFunction<K, V> loader) {
        return loader instanceof Carried ? loader : new Carried<>(loader, captured());
    }

    /** Captures the context of this thread; returns what turns a {@link LoaderCall} into a task that runs it in that context. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    UnaryOperator<Runnable> captured() {
        try {
            UnaryOperator<Runnable> context = requireNonNull(carrier.capture(), "the contextCarrier captured null");
            return call -> () -> run(call, context);
        } catch (Throwable e) {
            failed(e);
            return UnaryOperator.identity(); // nor is the context of another thread captured later
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void run(Runnable call, UnaryOperator<Runnable> context) {
        try {
            context.apply(call).run();
        } catch (Throwable e) {
            failed(e);
        } finally {
            call.run(); // unless it has begun
        }
    }

    private void failed(Throwable thrown) {
        Thrown.rethrowFatal(thrown);
        events.fault(FaultSource.LOADER, thrown, "the contextCarrier has failed, and the load does without it");
    }

    /** A loader that is to be called in a context. */
    record Carried<K, V>(LoadFunction<K, V> loader, UnaryOperator<Runnable> context) implements LoadFunction<K, V> {
        @Override
        public List<LoadedValue<V>> load(List<KeyRequest<K, V>> targets) throws Exception {
            return loader.load(targets);
        }

        @Override
        public boolean takesMany() {
            return loader.takesMany();
        }

        @Override
        public boolean isAsynchronous() {
            return loader.isAsynchronous();
        }

        @Override
        public @Nullable AgeBound bound() {
            return loader.bound();
        }
    }
}
