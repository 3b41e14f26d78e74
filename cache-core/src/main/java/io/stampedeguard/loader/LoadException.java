package io.stampedeguard.loader;

/** Thrown if the loader failed; its exception is the cause. Nothing was stored; no process loads the key during a cool-down. */
public final class LoadException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     * @param cause the loader's exception
     */
    public LoadException(String message, Throwable cause) {
        super(message, cause);
    }
}
