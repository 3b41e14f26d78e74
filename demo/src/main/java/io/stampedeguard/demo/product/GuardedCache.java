package io.stampedeguard.demo.product;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Product reads through the library. <em>Thread-safe.</em> */
public final class GuardedCache implements ProductCache {
    private static final int NEAR_ENTRIES = 10_000;
    private static final int ROOM_FOR_NEW = 1_000;

    private final StampedeGuardedCache<Long, String> cache;
    private final @Nullable RedisKeyFilter<Long> filter;

    private GuardedCache(StampedeGuardedCache<Long, String> cache, @Nullable RedisKeyFilter<Long> filter) {
        this.cache = cache;
        this.filter = filter;
    }

    /**
     * Opens a cache in one of the guarded modes; equal names in several processes are one cache. Early refresh is left out of the
     * policy in all modes but one.
     */
    public static GuardedCache open(
            Mode mode, RedisStore store, String name, CachePolicy policy, CacheListener listener, ProductLoad origin) {
        if (mode == Mode.GUARDED_NEAR) {
            NearCacheOptions near =
                    NearCacheOptions.builder().maximumSize(NEAR_ENTRIES).build();
            return new GuardedCache(
                    builder(store, name, policy, listener, origin)
                            .nearCache(near)
                            .build(),
                    null);
        }
        StampedeGuardedCacheBuilder<Long, String> builder =
                builder(store, name, policy.toBuilder().earlyRefresh(0).build(), listener, origin);
        return mode == Mode.GUARDED_FILTER ? filtered(builder, name, store) : new GuardedCache(builder.build(), null);
    }

    /** Opens a cache with a key filter and, if {@code near} is given, a near cache. */
    public static GuardedCache openFiltered(
            RedisStore store,
            String name,
            CachePolicy policy,
            @Nullable NearCacheOptions near,
            CacheListener listener,
            ProductLoad origin) {
        StampedeGuardedCacheBuilder<Long, String> builder = builder(store, name, policy, listener, origin);
        return filtered(near == null ? builder : builder.nearCache(near), name, store);
    }

    private static StampedeGuardedCacheBuilder<Long, String> builder(
            RedisStore store, String name, CachePolicy policy, CacheListener listener, ProductLoad origin) {
        return StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(policy)
                .listener(listener)
                .loader(origin::load);
    }

    private static GuardedCache filtered(
            StampedeGuardedCacheBuilder<Long, String> builder, String name, RedisStore store) {
        RedisKeyFilter<Long> filter = RedisKeyFilter.<Long>builder(name, store)
                .expectedKeys(Catalogue.PRODUCTS + ROOM_FOR_NEW)
                .build();
        return new GuardedCache(
                builder.keyValidator(key -> key > 0).keyFilter(filter).build(), filter);
    }

    @Override
    public @Nullable String get(long key) {
        return cache.get(key);
    }

    @Override
    public void put(long key, String product) {
        cache.put(key, product);
    }

    @Override
    public void expire(long key) {
        cache.expire(key);
    }

    @Override
    public void keyCreated(long key) {
        cache.keyCreated(key);
    }

    @Override
    public void buildFilter(Supplier<Stream<Long>> keys) {
        if (filter != null) {
            filter.rebuild(keys);
        }
    }

    @Override
    public void close() {
        cache.close();
        if (filter != null) {
            filter.close();
        }
    }
}
