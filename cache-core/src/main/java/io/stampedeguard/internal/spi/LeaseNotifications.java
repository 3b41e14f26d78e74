package io.stampedeguard.internal.spi;

import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An optional ability of a {@link SharedStore}: it notifies waiting callers at once when the lease of a key ends, so that they
 * need not poll. A publication or extension under a lease for which no request was answered with "held" need not be notified. Any
 * notification may be lost; waiting callers then find out by polling. Each is correct when the lease ends. Implementations
 * are <em>thread-safe</em>, and pass the contract kit {@code LeaseNotificationsContract}.
 */
public interface LeaseNotifications {
    /**
     * Starts watching the lease of a key. Does not block and does not fail: if the store cannot be reached, the listener is
     * not notified until it can be reached again.
     *
     * @param listener called on a thread of the store
     */
    Watch watch(String key, Listener listener);

    /** The listener of a waiting caller. Implementations are <em>thread-safe</em>, do not block and do not throw. */
    interface Listener {
        /**
         * Called when the watch is established, and again after an interruption: from now on every end is notified, while
         * earlier ones may have been missed.
         */
        void listening();

        /**
         * Called in place of {@link #listening()} by a store that has checked, after the watch was established, who holds the
         * lease. A caller whose last answer named this holder has missed nothing. The check began after {@link #watch}, or after
         * an interruption; a notice that arrives afterwards reports a later end.
         *
         * @param holder the token of the lease that was held at that moment
         */
        default void listening(LeaseToken holder) {
            listening();
        }

        /** Called when a lease of the key has ended. */
        void onNotice(Notice notice);
    }

    /** How a lease ended. */
    sealed interface Notice {
        /** {@return the holder's token; {@code null} if the notice is not one of the holder's} */
        default @Nullable LeaseToken token() {
            return null;
        }

        /**
         * The holder has published.
         *
         * @param entry the entry, beginning with the token; {@code null} if it is too large for a message. Not to be modified
         */
        record Published(LeaseToken token, byte @Nullable [] entry) implements Notice {}

        /**
         * The holder's load has failed.
         *
         * @param failure the failure that was given to {@link LeaseEnd.Fail}; not to be modified
         * @param coolDown how long the lease is not granted
         */
        record Failed(LeaseToken token, byte[] failure, Duration coolDown) implements Notice {}

        /**
         * The holder has loaded a result that is not stored.
         *
         * @param entry the result, beginning with the token; not to be modified
         */
        record Unstored(LeaseToken token, byte[] entry) implements Notice {}

        /** The lease was released without a result, or the key was invalidated, expired, or put. */
        record Freed() implements Notice {}
    }
}
