package io.stampedeguard.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.spring.StampedeCache;
import io.stampedeguard.spring.StampedeCacheManager;
import io.stampedeguard.store.InMemoryStore;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache.ValueWrapper;

/** Code of an application, outside of the library's packages, that uses a Spring cache by hand. */
final class UseByHandTest {
    @Test
    void eachMethodIsNamedOnceWithTheWayOut() {
        try (CapturedLog log = new CapturedLog();
                StampedeCacheManager manager =
                        StampedeCacheManager.builder(InMemoryStore.create()).build()) {
            StampedeCache cache = manager.getCache("by hand");
            for (int i = 0; i < 3; i++) {
                lookUp(cache);
                lookUpElsewhere(cache);
                lookUpLater(cache);
            }

            assertThat(log.text().lines().filter(line -> line.contains("Cache 'by hand'")))
                    .hasSize(3)
                    .allMatch(
                            line -> line.endsWith(
                                    "looks up and puts by itself, so concurrent callers each compute the value."
                                            + " Use @Cacheable of Spring in its proxy mode, or get(key, Callable), or a TypedCache."))
                    .anyMatch(line -> line.contains("UseByHandTest.lookUp looks"))
                    .anyMatch(line -> line.contains("UseByHandTest.lookUpElsewhere looks"))
                    .anyMatch(line -> line.contains("UseByHandTest.lookUpLater looks"));
        }
    }

    private static @Nullable ValueWrapper lookUp(StampedeCache cache) {
        return cache.get("key");
    }

    private static @Nullable String lookUpElsewhere(StampedeCache cache) {
        return cache.get("key", String.class);
    }

    private static CompletableFuture<?> lookUpLater(StampedeCache cache) {
        return cache.retrieve("key");
    }
}
