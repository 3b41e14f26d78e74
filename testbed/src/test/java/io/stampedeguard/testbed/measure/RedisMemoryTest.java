package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

@Timeout(60)
class RedisMemoryTest {
    @Test
    void whatIsStoredCountsAndConnectionsDoNot() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient redis = PlainRedis.connectPatiently(server.uri(), 1)) {
            RedisMemory before = RedisMemory.parse(redis.info("memory"));
            redis.setbit("four", (4 << 23) - 1, true); // sends almost nothing, so only stored bytes count
            RedisMemory stored = RedisMemory.parse(redis.info("memory"));
            PlainRedis.connectPatiently(server.uri(), 50).close();
            awaitTheOnlyConnection(redis);
            RedisMemory after = RedisMemory.parse(redis.info("memory"));

            assertThat(stored.mebibytesSince(before)).isBetween(4.0, 6.0);
            assertThat(after.mebibytesSince(stored)).isCloseTo(0, within(1.0));
        }
    }

    /** The server notices the end of the others when it reads from them next. */
    private static void awaitTheOnlyConnection(RedisClient redis) {
        while (!redis.info("clients").contains("connected_clients:1\r")) {
            Thread.onSpinWait();
        }
    }

    @Test
    void onlyWhatIsInUseIsRead() {
        String info = "# Memory\r\nused_memory:1500\r\nused_memory_human:1.46K\r\nused_memory_rss:9000\r\n"
                + "mem_clients_slaves:7\r\nmem_clients_normal:500\r\n";
        assertThat(RedisMemory.parse(info)).isEqualTo(new RedisMemory(1_000));
        assertThatThrownBy(() -> RedisMemory.parse("# Memory\r\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("INFO does not contain used_memory");
    }
}
