package io.stampedeguard.filter.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.redis.OldestRedis;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Redis 6.2, the oldest supported version. */
@Tag("topology")
class OldestRedisFilterContractTest extends RedisKeyFilterContract {
    @TempDir
    static Path directory;

    private static @Nullable RedisProcess server;
    private static @Nullable RedisStore store;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> binary = OldestRedis.extractTo(directory);
        assumeTrue(binary.isPresent(), "no Redis 6.2 for this machine");
        server = RedisServer.startProcess(binary.get());
        store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
    }

    @AfterAll
    static void stop() {
        if (store != null) {
            store.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected RedisStore store() {
        return store;
    }
}
