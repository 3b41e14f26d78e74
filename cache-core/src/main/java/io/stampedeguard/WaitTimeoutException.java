package io.stampedeguard;

/** Somebody else's load did not end within the policy's {@code waitTimeout}. Asking again later may help. */
public final class WaitTimeoutException extends CacheException {
    WaitTimeoutException(String message) {
        super(message);
    }
}
