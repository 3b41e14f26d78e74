package io.stampedeguard.testbed.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

class RedisCpuTest {
    @Test
    void whatAServerComputesIsCounted() {
        try (RedisProcess server = RedisServer.startProcess();
                RedisClient redis = PlainRedis.connectPatiently(server.uri(), 1)) {
            RedisCpu before = RedisCpu.parse(redis.info("cpu"));
            redis.eval("for i = 1, 2000000 do end return 1", List.of(), List.of());
            RedisCpu after = RedisCpu.parse(redis.info("cpu"));

            assertThat(after.microsSince(before)).isGreaterThan(1_000);
            assertThat(after.microsSince(after)).isZero();
        }
    }

    @Test
    void serverTimeCountsTheMainThreadOnceAndNoChildren() {
        String info = "# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_cpu_sys_children:4\r\n"
                + "used_cpu_user_children:8\r\nused_cpu_sys_main_thread:1.4\r\nused_cpu_user_main_thread:2.2\r\n";
        assertThat(RedisCpu.parse(info).seconds()).isCloseTo(3.75, within(1e-9));
    }
}
