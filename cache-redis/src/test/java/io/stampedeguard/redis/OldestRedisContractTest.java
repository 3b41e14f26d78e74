package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** Redis 6.2, the oldest supported version. */
@Tag("topology")
class OldestRedisContractTest extends LeaseNotificationsContract {
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

    @Test
    @Tag("essential")
    void itIsRedis62() {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            assertThat(admin.info("server")).contains("redis_version:6.2.");
        }
    }

    @Override
    protected SharedStore store() {
        return store;
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return RedisStore.connect(server.uri(), options);
        }
    }

    @Nested
    class OfKeyFilters extends RedisKeyFilterContract {
        @Override
        protected RedisStore store() {
            return store;
        }
    }
}
