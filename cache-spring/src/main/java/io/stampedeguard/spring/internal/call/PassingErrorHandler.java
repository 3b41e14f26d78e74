package io.stampedeguard.spring.internal.call;

import io.stampedeguard.loader.StoreException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheErrorHandler;

/**
 * An application's error handler, which does not see what guarded caches throw: if it swallowed the failure of a load, Spring would let
 * each caller of the load call the method. It does see that a change did not reach the store.
 *
 * @param rest the application's
 * @param isGuarded whether a cache is a guarded one
 */
record PassingErrorHandler(CacheErrorHandler rest, Predicate<Cache> isGuarded) implements CacheErrorHandler {
    @Override
    public void handleCacheGetError(RuntimeException failure, Cache cache, Object key) {
        if (isGuarded.test(cache)) {
            throw failure;
        }
        rest.handleCacheGetError(failure, cache, key);
    }

    @Override
    public void handleCachePutError(RuntimeException failure, Cache cache, Object key, @Nullable Object value) {
        throwOwn(failure, cache);
        rest.handleCachePutError(failure, cache, key, value);
    }

    @Override
    public void handleCacheEvictError(RuntimeException failure, Cache cache, Object key) {
        throwOwn(failure, cache);
        rest.handleCacheEvictError(failure, cache, key);
    }

    @Override
    public void handleCacheClearError(RuntimeException failure, Cache cache) {
        throwOwn(failure, cache);
        rest.handleCacheClearError(failure, cache);
    }

    private void throwOwn(RuntimeException failure, Cache cache) {
        if (!(failure instanceof StoreException) && isGuarded.test(cache)) {
            throw failure;
        }
    }
}
