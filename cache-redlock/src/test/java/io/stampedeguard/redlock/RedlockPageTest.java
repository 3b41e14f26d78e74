package io.stampedeguard.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.PageCode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/redlock.md} compiles, and works on real servers. */
final class RedlockPageTest {
    @TempDir
    private Path directory;

    @Test
    void codeOfThePageRuns() throws Exception {
        try (LockServerProcesses servers = new LockServerProcesses(3)) {
            String code = PageCode.of(Path.of("..", "docs", "redlock.md"));
            code = PageCode.withPatience(
                    code, "redis://values:6379", servers.values().uri());
            for (int i = 0; i < 3; i++) {
                String named = "redis://locks-%d:6379".formatted(i + 1);
                code = PageCode.withServer(code, named, servers.server(i).uri());
            }

            assertThat(PageCode.run(directory, "RedlockPage", program(code))).isEqualTo("lamp, lamp");
        }
    }

    private static String program(String code) {
        return """
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.StringCodec;
                import io.stampedeguard.redis.RedisStore;
                import io.stampedeguard.redis.RedisStoreBuilder;
                import io.stampedeguard.redlock.RedlockStore;
                import java.time.Duration;
                import java.util.List;

                public class RedlockPage {
                    public static Object run() {
                        %s
                        String loaded = cache.get("42", key -> "lamp");
                        String read = cache.get("42", key -> "not loaded again");
                        cache.close();
                        values.close();
                        servers.forEach(RedisStore::close);
                        return loaded + ", " + read;
                    }
                }
                """.formatted(code);
    }
}
