package com.example.stranger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.filter.bloom.LocalKeyFilter;
import io.stampedeguard.metrics.MicrometerListener;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redlock.RedlockStore;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.spring.boot.StampedeAutoConfiguration;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.CountingLoader;
import io.stampedeguard.testkit.FaultyStore;
import java.util.List;
import java.util.stream.Stream;

/** Uses a class of each published module, without a Redis, and prints the module and the jar of each. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        LocalKeyFilter<Long> filter =
                LocalKeyFilter.<Long>builder("products").expectedKeys(100).build();
        filter.rebuild(() -> Stream.of(42L));
        CountingLoader<Long, String> database = CountingLoader.of(id -> "lamp");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (StampedeGuardedCache<Long, String> products = on(FaultyStore.create())
                .keyFilter(filter)
                .listener(new MicrometerListener(meters))
                .build()) {
            expect("lamp", products.get(42L, database));
            expect("lamp", products.get(42L, database));
            expect(null, products.get(7L, database));
            expect(1, database.loads());
            expect(false, meters.getMeters().isEmpty());
        }

        // Nobody answers there, so the value comes from the loader.
        try (RedisStore values = RedisStore.connect("redis://localhost:1");
                RedisStore first = RedisStore.connect("redis://localhost:2");
                RedisStore second = RedisStore.connect("redis://localhost:3");
                RedisStore third = RedisStore.connect("redis://localhost:4");
                StampedeGuardedCache<Long, String> products =
                        on(RedlockStore.over(values, List.of(first, second, third))).build()) {
            expect("lamp", products.get(42L, database));
        }

        try (StampedeCacheManager manager =
                StampedeCacheManager.builder(FaultyStore.create()).build()) {
            expect("lamp", manager.typed("products", Long.class, String.class).get(42L, database));
        }

        for (Class<?> type : List.of(
                StampedeGuardedCache.class,
                RedisStore.class,
                LocalKeyFilter.class,
                MicrometerListener.class,
                RedlockStore.class,
                FaultyStore.class,
                StampedeCacheManager.class,
                StampedeAutoConfiguration.class)) {
            System.out.println(type.getModule().getName() + " in "
                    + type.getProtectionDomain().getCodeSource().getLocation());
        }
    }

    private static StampedeGuardedCacheBuilder<Long, String> on(CacheStore store) {
        return StampedeGuardedCache.<Long, String>builder("products").store(store).codec(StringCodec.of());
    }

    private static void expect(Object expected, Object actual) {
        if (expected == null ? actual != null : !expected.equals(actual)) {
            throw new AssertionError("expected " + expected + ", but was " + actual);
        }
    }
}
