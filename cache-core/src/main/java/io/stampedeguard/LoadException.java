package io.stampedeguard;

/** The loader failed; its exception is the cause. Nothing was stored, and nobody in the fleet loads the key again before its
 * cool-down is over. */
public final class LoadException extends CacheException {
    LoadException(String message, Throwable cause) {
        super(message, cause);
    }
}
