package io.stampedeguard;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * Somebody else's load did not end within the policy's {@code waitTimeout}, or no connection to the store came free. Asking
 * again later may help.
 */
public final class WaitTimeoutException extends CacheException {
    private WaitTimeoutException(String message) {
        super(message);
    }

    private WaitTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }

    /** For one who waited for somebody in this process. */
    static WaitTimeoutException of(String storeKey) {
        return new WaitTimeoutException(
                "the load of " + KeyText.shown(storeKey) + " did not end within the waitTimeout");
    }

    /** For one who waited for a connection to the store. */
    static WaitTimeoutException withoutConnection(String storeKey, Throwable shortage) {
        return new WaitTimeoutException(
                "no connection to the store came free within the waitTimeout, to ask for " + KeyText.shown(storeKey)
                        + ": use more connections, or fewer threads",
                shortage);
    }

    /** For one who waited for another process. */
    static WaitTimeoutException of(String storeKey, @Nullable LeaseToken holder) {
        return new WaitTimeoutException("the load of " + KeyText.shown(storeKey) + " by "
                + (holder == null ? "somebody unknown" : holder) + " did not end within the waitTimeout");
    }
}
