package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** Redis 6.2, the oldest supported version. */
@Tag("topology")
class OldestRedisContractTest extends RedisContract {
    @TempDir
    static Path directory;

    private static @Nullable Path redis62;
    private static @Nullable RedisProcess server;
    private static @Nullable RedisStore store;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> binary = OldestRedis.extractTo(directory);
        assumeTrue(binary.isPresent(), "no Redis 6.2 for this machine");
        redis62 = binary.get();
        server = RedisServer.startProcess(redis62);
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

    @Test
    void changesAreMadeAlsoWhereScriptsAreReplicated() {
        try (RedisProcess replicating = RedisServer.startProcess(redis62, "--lua-replicate-commands", "no");
                RedisStore there = RedisStore.connect(replicating.uri(), SharedRedis.PATIENT)) {
            byte[] entry = LeaseToken.next().toBytes();
            on(there).put("c:k", entry, Duration.ofMinutes(1));
            assertThat(on(there).read("c:k")).isEqualTo(entry);
            on(there).expire("c:k", 0, new byte[1]);
            assertThat(on(there).read("c:k")).startsWith(0);
            on(there).invalidate("c:k");
            assertThat(on(there).read("c:k")).isNull();
        }
    }

    @Test
    void leasesAreRequestedAndToldOfAlsoWhereScriptsAreReplicated() {
        try (RedisProcess replicating = RedisServer.startProcess(redis62, "--lua-replicate-commands", "no");
                RedisStore there = RedisStore.connect(replicating.uri(), SharedRedis.PATIENT);
                Jedis admin = PlainRedis.admin(replicating.host(), replicating.port())) {
            LeaseToken token = LeaseToken.next();
            on(there).lease("c:held", token, null, Duration.ofMinutes(1));
            assertThat(on(there).lease("c:held", LeaseToken.next(), null, Duration.ofMinutes(1)))
                    .isInstanceOf(LeaseAttempt.Held.class);
            assertThat(admin.getrange("{c:held}:lease", 16, 16))
                    .as("somebody waits, and is told")
                    .isEqualTo("0");

            LeaseToken failing = LeaseToken.next();
            on(there).lease("c:failed", failing, null, Duration.ofMinutes(1));
            on(there)
                    .fail(
                            "c:failed",
                            failing,
                            new LeaseEnd.Fail(new byte[0], 1, Duration.ofMillis(1), Duration.ofMinutes(1)));
            Fleet.until(() -> on(there).lease("c:failed", LeaseToken.next(), null, Duration.ofMinutes(1))
                    instanceof LeaseAttempt.Granted);

            assertThat(members(there)
                            .beat("c", "process", Duration.ofMinutes(1))
                            .processes())
                    .isEqualTo(1);
        }
    }

    @Override
    protected RedisStore store() {
        return store;
    }

    @Override
    RedisStore open(RedisStoreOptions options) {
        return RedisStore.connect(server.uri(), options);
    }
}
