package io.stampedeguard.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Redis 6.2, the oldest that will do. */
class OldestRedisChangesContractTest {
    @TempDir
    static Path directory;

    private static @Nullable RedisProcess server;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> binary = OldestRedis.extractTo(directory);
        assumeTrue(binary.isPresent(), "no Redis 6.2 for this machine");
        server = RedisServer.startProcess(binary.get());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Nested
    class Announced extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.connect(server.uri(), options(ChangeFeed.ANNOUNCED));
        }
    }

    @Nested
    class Tracked extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.connect(server.uri(), options(ChangeFeed.TRACKED));
        }
    }
}
