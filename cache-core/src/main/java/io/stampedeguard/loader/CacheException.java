package io.stampedeguard.loader;

import org.jspecify.annotations.Nullable;

/**
 * The common type of all exceptions of {@code get}. Each subclass documents what the caller can do. Failures of the shared
 * store are never thrown. <em>Not thread-safe</em>, like all exceptions; each caller gets its own.
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

    CacheException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
