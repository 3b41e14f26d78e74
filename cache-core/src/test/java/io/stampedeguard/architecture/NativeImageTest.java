package io.stampedeguard.architecture;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.Jackson2Codec;
import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    private static final Set<String> WITHOUT_ENTRY = Set.of(
            // the application's: exceptions, and the types of values
            "io.stampedeguard.codec.DeclaredType",
            "io.stampedeguard.codec.Jackson2Codec$Names",
            "io.stampedeguard.internal.failure.Thrown",
            // its callers name the types
            "io.stampedeguard.internal.failure.RequiredJar");

    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("core", StampedeGuardedCache.class, WITHOUT_ENTRY, Caches.class);

    NativeImageTest() {
        super(METADATA);
    }

    /** Opens caches that differ in what they use of other jars, and loads a value with each. */
    public static final class Caches implements Callable<Set<String>> {
        @Override
        public Set<String> call() throws Exception {
            get(NearCacheOptions.builder().maximumSize(10).build(), JsonCodec.of(String.class));
            get(NearCacheOptions.builder().maximumBytes(10_000).build(), Jackson2Codec.of(String.class));
            return Set.of();
        }

        private static void get(NearCacheOptions near, ValueCodec<String> codec) throws Exception {
            try (StampedeGuardedCache<Long, String> cache = StampedeGuardedCache.<Long, String>builder("products")
                    .store(InMemoryStore.create())
                    .codec(codec)
                    .nearCache(near)
                    .build()) {
                cache.get(1L, id -> "lamp");
            }
        }
    }
}
