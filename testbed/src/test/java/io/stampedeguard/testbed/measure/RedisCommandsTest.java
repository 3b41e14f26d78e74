package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

class RedisCommandsTest {
    @Test
    void commandsAreCountedFromOneLookToTheNextAndInsideScripts() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient redis = connect(server)) {
            redis.set("before", "1");
            RedisCommands before = RedisCommands.parse(redis.info("commandstats"));

            redis.get("a");
            redis.set("a", "1");
            redis.eval("redis.call('SET', KEYS[1], '1') return redis.call('GET', KEYS[1])", List.of("b"), List.of());
            redis.ping();
            redis.scriptLoad("return 1");

            RedisCommands after = RedisCommands.parse(redis.info("commandstats"));
            assertThat(after.workSince(before))
                    .as("GET, SET, EVAL and its SET and GET")
                    .isEqualTo(5);
            assertThat(after.since(before)).as("SCRIPT, too").isEqualTo(6);
            assertThat(after.since("get", before)).isEqualTo(2);
            assertThat(after.workSince(after)).isZero();
        }
    }

    private static RedisClient connect(RedisProcess server) {
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(server.host(), server.port()))
                .clientConfig(DefaultJedisClientConfig.builder().resp2().build())
                .build();
    }

    @Test
    void subcommandsAndUnknownFieldsAreUnderstood() {
        RedisCommands before = RedisCommands.parse("# Commandstats\r\n");
        RedisCommands after = RedisCommands.parse("""
                # Commandstats\r
                cmdstat_get:calls=7,usec=3,usec_per_call=0.43,rejected_calls=0,failed_calls=0\r
                cmdstat_client|setinfo:calls=9,usec=1,usec_per_call=0.10\r
                cmdstat_hello:calls=2,usec=1\r
                cmdstat_time:calls=1,usec=1\r
                """);
        assertThat(after.calls()).containsEntry("client|setinfo", 9L);
        assertThat(after.workSince(before)).isEqualTo(8);
        assertThat(after.since(before)).isEqualTo(19);
        assertThat(after.count("client")).isEqualTo(9);
        assertThat(after.count("eval")).isZero();
        assertThat(after.besides("client", "get")).isEqualTo(Map.of("hello", 2L, "time", 1L));
    }
}
