package io.stampedeguard.loader;

/**
 * Thrown if no load could begin: {@code maxConcurrentLoads} loads, or this process's share of the {@code originBudget}, were
 * running during the whole {@code waitTimeout}, the cache's executor for loaders or asynchronous callers rejected the task, or no
 * thread began it within the {@code loadTimeout}. Nothing was loaded, and the key does not cool down. Shed the request, or retry later.
 */
public final class OriginBusyException extends CacheException {
    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     */
    public OriginBusyException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message what happened, and for which key
     * @param cause the reason
     */
    public OriginBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
