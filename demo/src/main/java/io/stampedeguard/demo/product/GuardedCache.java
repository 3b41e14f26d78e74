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

    /** What a cache has besides leases: near copies, {@code null} for none, and a key filter. */
    public record Extras(@Nullable NearCacheOptions near, boolean hasFilter) {
        /** Returns what one of the guarded modes has. */
        public static Extras of(Mode mode) {
            NearCacheOptions near =
                    NearCacheOptions.builder().maximumSize(NEAR_ENTRIES).build();
            return new Extras(mode == Mode.GUARDED_NEAR ? near : null, mode == Mode.GUARDED_FILTER);
        }
    }

    /**
     * Opens a cache; equal names in several processes are one cache. Early refresh is left out of the policy of those without near
     * copies.
     */
    public static GuardedCache open(
            RedisStore store,
            String name,
            CachePolicy policy,
            Extras extras,
            CacheListener listener,
            ProductLoad origin) {
        NearCacheOptions near = extras.near();
        StampedeGuardedCacheBuilder<Long, String> builder = StampedeGuardedCache.<Long, String>builder(name)
                .store(store)
                .codec(StringCodec.of())
                .policy(near == null ? policy.toBuilder().earlyRefresh(0).build() : policy)
                .listener(listener)
                .loader(origin::load);
        if (near != null) {
            builder.nearCache(near);
        }
        if (!extras.hasFilter()) {
            return new GuardedCache(builder.build(), null);
        }
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
