package io.stampedeguard.demo;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import java.util.function.LongFunction;

/** The same reads through the library. */
final class GuardedCache implements ProductCache {
    private final StampedeGuardedCache<Long, String> cache;

    GuardedCache(
            SharedStore store, String name, CachePolicy policy, CacheListener listener, LongFunction<String> origin) {
        this.cache = StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.utf8())
                .policy(policy)
                .listener(listener)
                .loader(origin::apply)
                .build();
    }

    @Override
    public String get(long key) {
        return requireNonNull(cache.get(key), "every key has a product");
    }

    @Override
    public void put(long key, String product) {
        cache.put(key, product);
    }

    @Override
    public void close() {
        cache.close();
    }
}
