package io.stampedeguard.internal.spi;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.store.SharedStore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An optional ability of a {@link SharedStore}: it has a circuit breaker, and reports its state. While it is open, requests fail
 * with a {@code StoreException} at once, without being sent; the store itself finds out when its server answers again.
 * Implementations are <em>thread-safe</em>.
 */
public interface BreakerEvents {
    /** {@return the current state; of a store with several servers, the worst of theirs} Does not block. */
    BreakerState breaker();

    /**
     * {@return what is wrong with the store while the circuit breaker is not closed, for an operator: which server does not
     * answer, and why} Not empty, and without credentials. Does not block.
     */
    default String condition() {
        return "The store does not answer";
    }

    /**
     * {@return the {@code StoreException} with which a read of a key would end at once, without being sent; {@code null} if it would be
     * sent}
     * Callers check this before they read, so that the many reads during an outage throw no exceptions. Its {@code isUnsent}
     * is true. Sends nothing and does not block. By default, each read is sent.
     */
    default @Nullable RuntimeException refusal(String key) {
        return null;
    }

    /**
     * Starts watching the changes of the state. Does not block, and does not report the current state.
     *
     * @param listener called with each new state, on the thread that causes the change or on one of the store, one call after
     *     another, in the order of the changes; thread-safe, does not block and does not throw
     */
    Watch watchBreaker(Consumer<BreakerState> listener);

    /**
     * Makes requests that are sent even while the circuit breaker is open: the last ones of a cache, which cannot wait for the
     * server to answer again. Without an implementation, they are not exempt.
     *
     * @param requests makes requests on this thread, and blocks as they do
     */
    default void sendRegardless(Runnable requests) {
        requests.run();
    }
}
