package io.stampedeguard.loader;

/**
 * The loader took longer than the policy's {@code loadTimeout}. Its thread was interrupted, what it may still bring is not
 * stored, and the key cools down as after a failure.
 */
public final class LoadTimeoutException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     */
    public LoadTimeoutException(String message) {
        super(message);
    }
}
