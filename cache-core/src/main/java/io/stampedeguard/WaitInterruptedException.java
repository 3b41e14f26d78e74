package io.stampedeguard;

import io.stampedeguard.codec.KeyText;

/** The caller was interrupted while it waited; its interrupt flag is set again. It holds no lease and runs no load. */
public final class WaitInterruptedException extends CacheException {
    private WaitInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }

    static WaitInterruptedException restoringFlag(String storeKey, Throwable cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException("interrupted while waiting for " + KeyText.shown(storeKey), cause);
    }

    static WaitInterruptedException whilePrefetching(String cache, int done, int total, Throwable cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException(
                "interrupted while prefetching for cache '" + cache + "', after " + done + " of " + total + " keys",
                cause);
    }
}
