package io.stampedeguard.demo;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.SharedStore;
import java.util.function.LongFunction;

/** The same reads through the library. */
final class GuardedCache implements ProductCache {
    private static final int NEAR_ENTRIES = 10_000;

    private final StampedeGuardedCache<Long, String> cache;

    private GuardedCache(StampedeGuardedCache<Long, String> cache) {
        this.cache = cache;
    }

    /** Opens it in one of the guarded modes. */
    static GuardedCache open(
            Mode mode,
            SharedStore store,
            String name,
            CachePolicy policy,
            CacheListener listener,
            LongFunction<String> origin) {
        StampedeGuardedCacheBuilder<Long, String> builder = StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.utf8())
                .listener(listener)
                .loader(origin::apply);
        return new GuardedCache(
                mode == Mode.GUARDED_NEAR
                        ? builder.policy(policy)
                                .nearCache(NearCacheOptions.maximumSize(NEAR_ENTRIES))
                                .build()
                        : builder.policy(policy.toBuilder().earlyRefresh(0).build())
                                .build());
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
