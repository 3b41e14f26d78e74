package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;

/** Redis must be 6.2 or newer, and its eviction policy should spare leases. */
class ServerCheckTest {
    @Test
    void anOldServerIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("6.0.16")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the server at 127.0.0.1:%d is Redis 6.0.16, but 6.2 or newer is needed", server.port());
        }
    }

    @Test
    void aServerTooOldForTheHandshakeIsRefusedOnConnect() throws Exception {
        try (OldServer server = OldServer.start("5.0.14")) {
            assertThatThrownBy(() -> RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT))
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
                RedisStore store = RedisStore.connect("redis://127.0.0.1:" + server.port(), SharedRedis.PATIENT)) {
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
                    .contains("WARN io.stampedeguard.redis.RedisStore - Unsupported Redis version:"
                            + " the server is Redis 6.0.16, but 6.2 or newer is needed");
        }
    }

    @Test
    void theServerIsAskedOnceAndNotByTheConstructor() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient client = PlainRedis.connect(server.uri(), 1);
                Jedis admin = new Jedis(server.host(), server.port())) {
            admin.configResetStat();
            RedisStore store = RedisStore.using(client);
            assertThat(asked(admin)).isZero();
            store.invalidate("k");
            store.invalidate("k");
            assertThat(asked(admin)).isEqualTo(1);

            try (RedisStore connected = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                connected.invalidate("k");
            }
            assertThat(asked(admin)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void harmfulEvictionPolicyIsOneWarningForEachStore(RedisProtocol protocol) {
        RedisStoreOptions options =
                SharedRedis.PATIENT.toBuilder().protocol(protocol).build();
        try (RedisProcess server =
                        RedisServer.startProcess("--maxmemory", "64mb", "--maxmemory-policy", "volatile-ttl");
                RedisClient client = PlainRedis.connect(server.uri(), 1)) {
            LogLines log = LogLines.of(() -> {
                RedisStore.using(client).invalidate("k");
                try (RedisStore connected = RedisStore.connect(server.uri(), options)) {
                    connected.invalidate("k");
                    connected.invalidate("k");
                }
            });
            assertThat(log.lines())
                    .satisfiesExactly(
                            using -> assertThat(using).contains("the server has maxmemory-policy volatile-ttl: "),
                            connected -> assertThat(connected)
                                    .endsWith("WARN io.stampedeguard.redis.RedisStore - the server at 127.0.0.1:"
                                            + server.port()
                                            + " has maxmemory-policy volatile-ttl: when its memory is full, it evicts"
                                            + " leases before entries, since they have the shortest TTL, and keys are"
                                            + " loaded more than once at the same time; set volatile-lru, or allkeys-lru"
                                            + " if no RedisKeyFilter is kept there"));
        }
    }

    @Test
    void harmfulEvictionPolicyIsNotAdvisedAgainstWhileMemoryHasNoBoundOrNothingIsKnown() {
        try (RedisProcess unbounded = RedisServer.startProcess("--maxmemory-policy", "volatile-ttl");
                RedisProcess silent = RedisServer.startProcess(
                        ("--maxmemory 64mb --maxmemory-policy volatile-ttl --user default on nopass ~* &* +@all -info")
                                .split(" "))) {
            LogLines log = LogLines.of(() -> {
                for (RedisProcess server : List.of(unbounded, silent)) {
                    try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                        store.invalidate("k");
                    }
                }
            });
            assertThat(log.lines()).isEmpty();
        }
    }

    /** The number of INFO calls since the previous call of this method. */
    private static long asked(Jedis admin) {
        RedisCommands commands = RedisCommands.parse(admin.info("commandstats"));
        admin.configResetStat();
        return commands.count("info");
    }
}
