package io.stampedeguard.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link SharedStore} may be able to do besides: tell at once when the lease of a key ends, so that those who wait
 * need not ask. Notices are a courtesy: each of them may be lost, and then who waits finds out by asking. What a notice
 * says is true at the moment in which the lease ends.
 *
 * <p>Implementations are <em>thread-safe</em>, and pass the contract kit {@code NoticesContract}.
 */
public interface Notices {
    /**
     * Listens to what becomes of the lease of a key. Does not block and does not fail: if the store cannot be reached,
     * the listener hears nothing until it can.
     *
     * @param key the key
     * @param listener called on a thread of the store's
     * @return the watch, to be closed
     */
    Watch watch(String key, Listener listener);

    /** A watch over one key, until it is closed. Closing does not block; a last notice may still arrive. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** One who waits. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    interface Listener {
        /**
         * From now on nothing is missed; whatever happened before may have been. Called when the watch begins, and again
         * when it was cut and has been mended.
         */
        void listening();

        /**
         * A lease of the key has ended.
         *
         * @param notice how
         */
        void heard(Notice notice);
    }

    /** How a lease ended. */
    sealed interface Notice {
        /**
         * Its holder has published.
         *
         * @param token the holder's token
         * @param entry the entry, beginning with the token; {@code null} if it is too large to be told. Not to be changed
         */
        record Published(LeaseToken token, byte @Nullable [] entry) implements Notice {}

        /**
         * Its holder's load has failed.
         *
         * @param token the holder's token
         * @param failure what {@link SharedStore#fail} was told of the failure; not to be changed
         * @param coolDown for how long nobody is granted the lease
         */
        record Failed(LeaseToken token, byte[] failure, Duration coolDown) implements Notice {}

        /**
         * Its holder has loaded, and the result is not stored.
         *
         * @param token the holder's token
         * @param entry the result, beginning with the token; not to be changed
         */
        record Unstored(LeaseToken token, byte[] entry) implements Notice {}

        /** It was given back with nothing, or the key was invalidated, expired or put. */
        record Freed() implements Notice {}
    }
}
