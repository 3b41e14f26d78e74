package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/guide.md} compiles, and runs on a real Redis. */
final class GuidePageTest {
    @TempDir
    private Path directory;

    @Test
    void codeOfThePageRuns() throws Exception {
        List<String> codes = PageCode.allOf(Path.of("..", "docs", "guide.md"));

        assertThat(codes).hasSize(4);
        assertThat(PageCode.run(directory, "GuidePage", program(codes)))
                .isEqualTo(List.of(
                        "lamp and 3 products", "open caches: 0", "lamp, then null", "lz4+json:GuidePage$Product/1"));
    }

    /** What the page omits: imports, the store, the database, and what is seen of the results. */
    private static String program(List<String> codes) {
        return """
                import io.stampedeguard.GuardedCaches;
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.JsonCodec;
                import io.stampedeguard.codec.ValueCodec;
                import io.stampedeguard.loader.LoadedValue;
                import io.stampedeguard.loader.Loader;
                import io.stampedeguard.policy.CachePolicy;
                import io.stampedeguard.policy.NearCacheOptions;
                import io.stampedeguard.redis.RedisStore;
                import java.util.List;
                import java.util.Map;
                import java.util.Set;
                import java.util.stream.Collectors;

                public class GuidePage {
                    record Product(long id, String name) {}

                    record Price(String currency, long cents) {}

                    static final class Database {
                        Product findById(long id) {
                            return new Product(id, "lamp");
                        }

                        Map<Long, Product> findAllById(Set<Long> ids) {
                            return ids.stream().collect(Collectors.toMap(id -> id, this::findById));
                        }
                    }

                    static final Database database = new Database();
                    static final CachePolicy policy = CachePolicy.builder().build();

                    static String one(RedisStore redis) {
                        %s
                        return product.name() + " and " + several.size() + " products";
                    }

                    static String several(RedisStore redis) {
                        %s
                        return "open caches: " + caches.byName().size();
                    }

                    static String tagged(StampedeGuardedCache<Long, Product> products) {
                        %s
                        return product.name() + ", then " + products.getIfPresent(42L);
                    }

                    static String compressed() {
                        %s
                        return codec.identity().toString();
                    }

                    public static Object run() {
                        try (RedisStore redis = RedisStore.connect("%s", %s);
                                GuardedCaches caches = GuardedCaches.over(redis)) {
                            return List.of(
                                    one(redis),
                                    several(redis),
                                    tagged(caches.cache("products", Long.class, JsonCodec.of(Product.class)).build()),
                                    compressed());
                        }
                    }
                }
                """.formatted(
                        codes.get(0),
                        codes.get(1),
                        codes.get(2),
                        codes.get(3),
                        SharedRedis.uri(),
                        "io.stampedeguard.redis.SharedRedis.PATIENT.toBuilder().keyPrefix(\"guide-page:\").build()");
    }
}
