package io.stampedeguard.loader;

/**
 * Why {@code get} has no answer. Each child says what the caller can do; trouble with the shared store is never among
 * the reasons. <em>Not thread-safe</em>, as exceptions go; each caller gets its own.
 */
public abstract sealed class CacheException extends RuntimeException
        permits BulkLoadException,
                LoadException,
                LoadTimeoutException,
                RecentLoadFailureException,
                WaitTimeoutException,
                WaitInterruptedException,
                OriginBusyException,
                RecursiveLoadException {
    CacheException(String message) {
        super(message);
    }

    CacheException(String message, Throwable cause) {
        super(message, cause);
    }
}
