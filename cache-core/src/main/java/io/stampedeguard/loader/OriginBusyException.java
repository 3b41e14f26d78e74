package io.stampedeguard.loader;

/**
 * No load could begin: as many as {@code maxConcurrentLoads} allows were running all through the {@code waitTimeout}, or
 * the cache's executor for loaders, or that for asynchronous callers, took no more. Nothing was loaded. Shed the request,
 * or ask again later.
 */
public final class OriginBusyException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     */
    public OriginBusyException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message says what happened, and of which key
     * @param cause why
     */
    public OriginBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
