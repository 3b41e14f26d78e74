package io.stampedeguard;

import io.stampedeguard.codec.KeyText;

/**
 * No load could begin: as many as {@code maxConcurrentLoads} allows were running all through the {@code waitTimeout}, or
 * the cache's executor for loaders, or that for asynchronous callers, took no more. Nothing was loaded. Shed the request,
 * or ask again later.
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

    /** For an asynchronous caller that no thread had time for. */
    static OriginBusyException withoutThread(String storeKey) {
        return new OriginBusyException("neither a value nor a thread to load " + KeyText.shown(storeKey)
                + " within the waitTimeout: the threads for asynchronous callers are busy, or the store is slow");
    }

    /** For an asynchronous caller whom the executor refused. */
    static OriginBusyException withoutThread(String storeKey, RuntimeException refusal) {
        return new OriginBusyException(
                "the executor for asynchronous callers has no room for " + KeyText.shown(storeKey), refusal);
    }

    static OriginBusyException rejected(String storeKey, Throwable refusal) {
        return new OriginBusyException(
                "the loaderExecutor has no room for the load of " + KeyText.shown(storeKey), refusal);
    }
}
