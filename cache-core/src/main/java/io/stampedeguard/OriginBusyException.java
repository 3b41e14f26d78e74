package io.stampedeguard;

/**
 * No load could begin: as many as {@code maxConcurrentLoads} allows were running all through the {@code waitTimeout}, or
 * the cache's executor for loaders took no more. Nothing was loaded. Shed the request, or ask again later.
 */
public final class OriginBusyException extends CacheException {
    OriginBusyException(String message) {
        super(message);
    }

    OriginBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
