package io.stampedeguard;

import io.stampedeguard.codec.KeyText;

/**
 * No load could begin: as many as {@code maxConcurrentLoads} allows were running all through the {@code waitTimeout}, or
 * the cache's executor for loaders took no more. Nothing was loaded. Shed the request, or ask again later.
 */
public final class OriginBusyException extends CacheException {
    private OriginBusyException(String message) {
        super(message);
    }

    static OriginBusyException withoutPermit(String storeKey) {
        return new OriginBusyException("no permit to load " + KeyText.shown(storeKey)
                + " within the waitTimeout: as many loads as maxConcurrentLoads allows are running");
    }

    private OriginBusyException(String message, Throwable cause) {
        super(message, cause);
    }

    static OriginBusyException rejected(String storeKey, Throwable refusal) {
        return new OriginBusyException(
                "the loaderExecutor has no room for the load of " + KeyText.shown(storeKey), refusal);
    }
}
