package io.stampedeguard.loader;

/** The loader failed; its exception is the cause. Nothing was stored, and nobody in the fleet loads the key again before its
 * cool-down is over. */
public final class LoadException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     * @param cause what the loader threw
     */
    public LoadException(String message, Throwable cause) {
        super(message, cause);
    }
}
