package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's lines of code compile, and do on a real Redis what they say. */
final class ReadmeTest {
    @TempDir
    private Path directory;

    @Test
    void codeOfTheReadmeRuns() throws Exception {
        String code = PageCode.of(Path.of("..", "README.md"));

        Object got = PageCode.run(
                directory, "Readme", program(PageCode.withServer(code, "redis://localhost:6379", SharedRedis.uri())));

        assertThat(got).hasToString("Product[id=42, name=lamp]");
    }

    /** What the README leaves to its reader: imports, a product, and where products come from. */
    private static String program(String code) {
        return """
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.JsonCodec;
                import io.stampedeguard.policy.CachePolicy;
                import io.stampedeguard.policy.NearCacheOptions;
                import io.stampedeguard.redis.RedisStore;
                import java.time.Duration;
                import java.util.List;
                import java.util.Map;
                import java.util.Set;
                import java.util.stream.Collectors;

                public class Readme {
                    public record Product(long id, String name) {}

                    static class Dao {
                        Product findById(long id) {
                            return new Product(id, "lamp");
                        }

                        Map<Long, Product> findAllById(Set<Long> ids) {
                            return ids.stream().collect(Collectors.toMap(id -> id, this::findById));
                        }
                    }

                    public static Object run() {
                        Dao dao = new Dao();
                        %s
                        products.close();
                        redis.close();
                        return some.size() == 3 ? product : some;
                    }
                }
                """.formatted(code);
    }
}
