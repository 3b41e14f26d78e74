package io.stampedeguard.store;

import io.stampedeguard.event.BreakerState;

/**
 * An optional ability of a {@link SharedStore}: it has a circuit breaker, and reports its state. While it is open, requests fail
 * with a {@link StoreException} at once, without being sent; the store itself finds out when its server answers again.
 * Implementations are <em>thread-safe</em>.
 */
public interface BreakerEvents {
    /** {@return whether there is a circuit breaker; if not, the state is always closed, and proves nothing} By default, there is. */
    default boolean hasBreaker() {
        return true;
    }

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
     * Starts watching the changes of the state. Does not block, and does not report the current state.
     *
     * @param listener called on the thread that causes a change or on one of the store, one call after another, in the order of
     *     the changes
     * @return the watch, to be closed
     */
    Watch watchBreaker(Listener listener);

    /**
     * Makes requests that are sent even while the circuit breaker is open: the last ones of a cache, which cannot wait for the
     * server to answer again. Without an implementation, they are not exempt.
     *
     * @param requests makes requests on this thread, and blocks as they do
     */
    default void sendRegardless(Runnable requests) {
        requests.run();
    }

    /** A watch over a circuit breaker, until it is closed. Closing does not block; a last event may still arrive. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** The listener of a cache. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    @FunctionalInterface
    interface Listener {
        /**
         * Called when the state has changed.
         *
         * @param state the new state
         */
        void changed(BreakerState state);
    }
}
