package io.stampedeguard;

/**
 * The loader took longer than the policy's {@code loadTimeout}. Its thread was interrupted, what it may still bring is not
 * stored, and the key cools down as after a failure.
 */
public final class LoadTimeoutException extends CacheException {
    LoadTimeoutException(String message) {
        super(message);
    }
}
