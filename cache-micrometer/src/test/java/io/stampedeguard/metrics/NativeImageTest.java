package io.stampedeguard.metrics;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("micrometer", MicrometerListener.class, Set.of(), Cache.class);

    NativeImageTest() {
        super(METADATA);
    }

    /** Opens a cache, which looks for who advises it. */
    public static final class Cache implements Callable<Set<String>> {
        @Override
        public Set<String> call() throws Exception {
            try (StampedeGuardedCache<Long, String> cache = StampedeGuardedCache.<Long, String>builder("products")
                    .store(InMemoryStore.create())
                    .codec(StringCodec.of())
                    .build()) {
                cache.get(1L, id -> "lamp");
                return Set.of();
            }
        }
    }
}
