package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** What a miss that nobody else waits for costs the server, and in how many round trips. */
class UncontendedMissTest {
    private static RedisProcess server;
    private static Jedis admin;

    @BeforeAll
    static void start() {
        server = RedisServer.startProcess();
        admin = PlainRedis.admin(server.host(), server.port());
    }

    @AfterAll
    static void stop() {
        admin.close();
        server.close();
    }

    @Test
    void itIsNineCommandsInThreeRoundTripsAndAfterOthersSevenInTwo() {
        CountedConnections connections = new CountedConnections(server.port());
        try (UnifiedJedis client = connections.client();
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, new SlowTime());
                StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("misses")
                        .store(store)
                        .codec(StringCodec.of())
                        .build()) {
            admin.configResetStat();
            cache.get("first", key -> key);
            ServerCheckTest.awaitCheck(admin);
            Fleet.until(() -> store.toString().contains("calls in progress: 0 of 4"));

            admin.configResetStat();
            assertThat(connections.during(() -> cache.get("read", key -> key))).isEqualTo(3);
            assertThat(calls())
                    .isEqualTo(Map.of(
                            "get", 1L, "evalsha", 2L, "mget", 1L, "set", 2L, "getrange", 1L, "del", 1L, "time", 1L));

            List<String> keys =
                    IntStream.range(0, 20).mapToObj(each -> "k" + each).toList();
            keys.forEach(each -> cache.get("before-" + each, key -> key));
            admin.configResetStat();
            assertThat(connections.during(() -> keys.forEach(each -> cache.get(each, key -> key))))
                    .isEqualTo(2 * 20);
            assertThat(calls())
                    .isEqualTo(
                            Map.of("evalsha", 20L, "mget", 20L, "set", 40L, "getrange", 20L, "del", 20L, "time", 20L));

            Map<String, String> warm = keys.stream().collect(Collectors.toMap(Function.identity(), key -> key));
            assertThat(cache.getAll(keys, missing -> Map.of())).isEqualTo(warm);
        }
    }

    private static Map<String, Long> calls() {
        return RedisCommands.parse(admin.info("commandstats")).besides("config", "info");
    }
}
