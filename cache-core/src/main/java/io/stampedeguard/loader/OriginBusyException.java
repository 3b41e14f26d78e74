package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if no load could begin: {@code maxConcurrentLoads} loads, or this process's share of the {@code originBudget}, were
 * running during the whole {@code waitTimeout}, the cache's executor for loaders or asynchronous callers rejected the task, or no
 * thread began it within the {@code loadTimeout}. Nothing was loaded, and the key does not cool down. Shed the request, or retry later.
 */
public final class OriginBusyException extends CacheException {
    private final boolean isWithoutPermit;

    /**
     * Creates the exception of a load for which there was no thread.
     *
     * @param message what happened, and for which key
     */
    public OriginBusyException(String message) {
        super(message);
        this.isWithoutPermit = false;
    }

    /**
     * Creates the exception of a load for which there was no thread.
     *
     * @param message what happened, and for which key
     * @param cause the reason
     */
    public OriginBusyException(String message, Throwable cause) {
        super(message, cause);
        this.isWithoutPermit = false;
    }

    private OriginBusyException(boolean isWithoutPermit, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.isWithoutPermit = isWithoutPermit;
    }

    /**
     * Creates the exception of a load beyond {@code maxConcurrentLoads}, or this process's share of the {@code originBudget}.
     *
     * @param message what happened, and for which key
     * @param cause the reason, {@code null} if there is none
     * @return the exception
     */
    public static OriginBusyException withoutPermit(String message, @Nullable Throwable cause) {
        return new OriginBusyException(true, message, cause);
    }

    /**
     * {@return whether {@code maxConcurrentLoads} or the share of the {@code originBudget} was used up; otherwise there was no thread}
     */
    public boolean isWithoutPermit() {
        return isWithoutPermit;
    }
}
