package io.stampedeguard;

/** The loader failed; its exception is the cause. Nothing was stored, and the next {@code get} loads again. */
public final class LoadException extends CacheException {
    LoadException(String message, Throwable cause) {
        super(message, cause);
    }
}
