package io.stampedeguard.spring.boot;

import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.spring.StampedeCache;

/** What watches each cache, also those that are created later. Needs no optional dependency, unlike its implementations. */
interface CacheObserver {
    /** Called before a cache is built. */
    void configure(StampedeGuardedCacheBuilder<?, ?> cache);

    /** Called after a cache was built. */
    void created(StampedeCache cache);
}
