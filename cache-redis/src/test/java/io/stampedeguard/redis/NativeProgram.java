package io.stampedeguard.redis;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.NearCacheOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What {@code .ci/native} builds as a native image: it uses the scripts, near copies, and threads of a cache, on the Redis of a URI. */
public final class NativeProgram {
    private static final Duration TIMEOUT_ON_A_BUSY_MACHINE = Duration.ofSeconds(20);

    private NativeProgram() {}

    public static void main(String[] args) throws Exception {
        try (RedisStore store = connect(args[0]);
                RedisStore other = connect(args[0]);
                StampedeGuardedCache<Long, String> products =
                        cache(store, NearCacheOptions.builder().maximumSize(100).build());
                StampedeGuardedCache<Long, String> elsewhere = cache(
                        other, NearCacheOptions.builder().maximumBytes(100_000).build())) {
            expect("lamp", products.get(1L, id -> "lamp"));
            expect("lamp", elsewhere.get(1L, id -> "not from Redis"));
            products.invalidate(1L);
            expect("chair", products.get(1L, id -> "chair"));
            products.put(2L, "table");
            expect(
                    "table",
                    products.getAsync(2L, id -> CompletableFuture.completedFuture("not from Redis"))
                            .get(1, TimeUnit.MINUTES));
            expect(
                    "desk",
                    products.get(
                            3L,
                            Loader.adaptive(
                                    (id, previous) -> LoadedValue.of("desk").tags("wood"))));
            products.invalidateTag("wood");
            expect("shelf", products.get(3L, id -> "shelf"));
            products.invalidateAll();
            expect("bed", products.get(3L, id -> "bed"));
        }
        System.out.println("the cache works");
    }

    private static RedisStore connect(String uri) {
        return RedisStore.builder().commandTimeout(TIMEOUT_ON_A_BUSY_MACHINE).connect(uri);
    }

    private static StampedeGuardedCache<Long, String> cache(RedisStore store, NearCacheOptions near) {
        return StampedeGuardedCache.<Long, String>builder("products")
                .store(store)
                .codec(StringCodec.of())
                .nearCache(near)
                .build();
    }

    private static void expect(String expected, String actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError("expected " + expected + ", but was " + actual);
        }
    }
}
