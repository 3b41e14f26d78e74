package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

/** Redis must be 6.2 or newer, and says so on connect. */
class VersionCheckTest {
    @Test
    void anOldServerIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("6.0.16")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the server at 127.0.0.1:%d is Redis 6.0.16, but 6.2 or newer is needed", server.port());
        }
    }

    @Test
    void aServerTooOldForTheHandshakeIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("5.0.14")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port()))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(
                            "could not connect to Redis at 127.0.0.1:%d: ERR unknown command `HELLO`, some arguments;"
                                    + " Redis has it since 6.0, and 6.2 or newer is needed",
                            server.port());
        }
    }

    @Test
    void theOldestThatWillDoIsTaken() throws Exception {
        try (OldServer server = OldServer.start("6.2.0");
                RedisStore store = RedisStore.connect("redis://127.0.0.1:" + server.port())) {
            store.invalidate("k");
        }
    }

    @Test
    void onAClientOfTheCallersItIsOneWarningAfterTheFirstChange() throws Exception {
        try (OldServer server = OldServer.start("6.0.16");
                RedisClient client = PlainRedis.connect("redis://" + server.host() + ":" + server.port(), 1)) {
            LogLines log = LogLines.of(() -> {
                RedisStore store = RedisStore.using(client);
                store.invalidate("k");
                store.invalidate("k");
            });
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("WARN io.stampedeguard.redis.RedisStore - What is stored may go wrong:"
                            + " the server is Redis 6.0.16, but 6.2 or newer is needed");
        }
    }

    @Test
    void theVersionIsAskedForOnceAndNotByTheConstructor() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient client = PlainRedis.connect(server.uri(), 1);
                Jedis admin = new Jedis(server.host(), server.port())) {
            admin.configResetStat();
            RedisStore store = RedisStore.using(client);
            assertThat(asked(admin)).isZero();
            store.invalidate("k");
            store.invalidate("k");
            assertThat(asked(admin)).isEqualTo(1);

            try (RedisStore connected = RedisStore.connect(server.uri())) {
                connected.invalidate("k");
            }
            assertThat(asked(admin)).isEqualTo(1);
        }
    }

    /** How often INFO was called since the last time that this was asked. */
    private static long asked(Jedis admin) {
        RedisCommands commands = RedisCommands.parse(admin.info("commandstats"));
        admin.configResetStat();
        return commands.count("info");
    }
}
