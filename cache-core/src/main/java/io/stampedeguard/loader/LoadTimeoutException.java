package io.stampedeguard.loader;

/**
 * Thrown if the loader took longer than the policy's {@code loadTimeout}. Its thread was interrupted, a late result is not
 * stored, and the key cools down as after a failure.
 */
public final class LoadTimeoutException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     */
    public LoadTimeoutException(String message) {
        super(message);
    }
}
