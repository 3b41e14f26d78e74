package io.stampedeguard;

/**
 * The process runs as many loads of this cache as {@code maxConcurrentLoads} allows, and none ended within the policy's
 * {@code waitTimeout}. The origin is too slow for the load it gets: ask less, or raise the bound.
 */
public final class OriginBusyException extends CacheException {
    OriginBusyException(String message) {
        super(message);
    }
}
