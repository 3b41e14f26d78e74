package io.stampedeguard.loader;

/**
 * Somebody else's load did not end within the policy's {@code waitTimeout}, or no connection to the store came free. Asking
 * again later may help.
 */
public final class WaitTimeoutException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     */
    public WaitTimeoutException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     * @param cause why
     */
    public WaitTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
