package io.stampedeguard.testbed.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisSentinelClient;

@Order(2)
class RedisSentinelsTest {
    @Test
    void aReplicaTakesOverFromAKilledMaster() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            RedisProcess former = sentinels.master();
            former.kill();
            sentinels.awaitFailoverFrom(former);

            RedisProcess master = sentinels.master();
            assertThat(master).isNotEqualTo(former);
            assertThat(master.isAlive()).isTrue();
            try (RedisSentinelClient client = client(sentinels)) {
                assertThat(client.getCurrentMaster()).isEqualTo(new HostAndPort(master.host(), master.port()));
                assertThat(client.set("a", "1")).isEqualTo("OK");
            }
        }
    }

    @Test
    void theyEndTogether() {
        RedisSentinels sentinels = RedisSentinels.start();
        RedisProcess master = sentinels.master();
        sentinels.close();
        sentinels.close();
        assertThat(master.isAlive()).isFalse();
        assertThat(sentinels.sentinels()).hasSize(3).noneMatch(RedisProcess::isAlive);
    }

    private static RedisSentinelClient client(RedisSentinels sentinels) {
        return RedisSentinelClient.builder()
                .masterName(sentinels.masterName())
                .sentinels(sentinels.sentinels().stream()
                        .map(sentinel -> new HostAndPort(sentinel.host(), sentinel.port()))
                        .collect(Collectors.toSet()))
                .build();
    }
}
