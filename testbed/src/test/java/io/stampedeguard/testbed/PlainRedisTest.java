package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import redis.clients.jedis.exceptions.JedisException;

@Isolated("counts the connection pools of this JVM")
class PlainRedisTest {
    @Test
    void whoCannotConnectLeavesNoPoolBehind() throws Exception {
        try (RedisProcess stopped = RedisServer.startProcess()) {
            stopped.kill();
            Set<ObjectName> before = pools();

            assertThatThrownBy(() -> PlainRedis.connect(stopped.uri(), 2)).isInstanceOf(JedisException.class);

            assertThat(pools()).isEqualTo(before);
        }
    }

    @Test
    void aPoolIsSeenWhileItIsOpen() throws Exception {
        try (RedisProcess server = RedisServer.startProcess()) {
            Set<ObjectName> before = pools();

            try (var client = PlainRedis.connect(server.uri(), 2)) {
                assertThat(client.getPool().getNumIdle()).isEqualTo(2);
                assertThat(pools()).hasSize(before.size() + 1);
            }

            assertThat(pools()).isEqualTo(before);
        }
    }

    /** Each pool is registered until it is closed. */
    private static Set<ObjectName> pools() throws MalformedObjectNameException {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("org.apache.commons.pool2:type=GenericObjectPool,*"), null);
    }
}
