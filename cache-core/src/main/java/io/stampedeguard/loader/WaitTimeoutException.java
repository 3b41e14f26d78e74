package io.stampedeguard.loader;

/**
 * Thrown if another caller's load did not end within the policy's {@code waitTimeout}, or the {@code maxWait} of this call, or if
 * no connection to the store became free. The load continues, of one key or of many, and its result is stored, so a retry later
 * may find it.
 */
public final class WaitTimeoutException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     */
    public WaitTimeoutException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     * @param cause the reason
     */
    public WaitTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
