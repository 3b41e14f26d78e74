package io.stampedeguard;

import io.stampedeguard.codec.KeyText;

/** Somebody else's load did not end within the policy's {@code waitTimeout}. Asking again later may help. */
public final class WaitTimeoutException extends CacheException {
    WaitTimeoutException(String message) {
        super(message);
    }

    /** For one who waited for somebody in this process. */
    static WaitTimeoutException of(String storeKey) {
        return new WaitTimeoutException(
                "the load of " + KeyText.shown(storeKey) + " did not end within the waitTimeout");
    }
}
