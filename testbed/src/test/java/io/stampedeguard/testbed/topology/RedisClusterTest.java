package io.stampedeguard.testbed.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.JedisClusterCRC16;

@Order(1)
class RedisClusterTest {
    private static RedisCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        client = RedisClusterClient.builder()
                .nodes(cluster.nodes().stream()
                        .map(node -> new HostAndPort(node.host(), node.port()))
                        .collect(Collectors.toSet()))
                .build();
    }

    @AfterAll
    static void stop() {
        List<RedisProcess> nodes = cluster.nodes();
        client.close();
        cluster.close();
        cluster.close();
        assertThat(nodes).noneMatch(RedisProcess::isAlive);
    }

    @Test
    void threeMastersShareTheSlots() {
        assertThat(cluster.nodes()).hasSize(6);
        Set<RedisProcess> masters = IntStream.of(0, 5_460, 5_461, 10_921, 10_922, 16_383)
                .mapToObj(cluster::masterOf)
                .collect(Collectors.toSet());
        assertThat(masters).hasSize(3);
        for (int i = 0; i < 100; i++) {
            client.set("shared:" + i, "value");
            assertThat(client.get("shared:" + i)).isEqualTo("value");
        }
    }

    @Test
    void aSlotMovesWithItsKeysToAnotherMaster() {
        int slot = JedisClusterCRC16.getSlot("{moving}");
        RedisProcess source = cluster.masterOf(slot);
        RedisProcess target = cluster.masterOf((slot + 8_192) % 16_384);
        assertThat(target).isNotEqualTo(source);
        IntStream.range(0, 250).forEach(i -> client.set("{moving}" + i, "value"));

        cluster.migration(slot, target).run();
        cluster.awaitAllSlotsServed();

        assertThat(cluster.masterOf(slot)).isEqualTo(target);
        try (Jedis admin = PlainRedis.admin(target.host(), target.port())) {
            assertThat(admin.clusterCountKeysInSlot(slot)).isEqualTo(250);
        }
        assertThat(client.get("{moving}249")).isEqualTo("value");
    }

    @Test
    void theReplicaOfAKilledMasterTakesOver() {
        int slot = JedisClusterCRC16.getSlot("taken-over");
        RedisProcess master = cluster.masterOf(slot);

        master.kill();
        assertThat(master.isAlive()).isFalse();
        cluster.awaitAllSlotsServed();

        assertThat(cluster.masterOf(slot)).isNotEqualTo(master);
        client.set("taken-over", "value");
        assertThat(client.get("taken-over")).isEqualTo("value");

        master.restart();
        cluster.awaitAllSlotsServed();
        assertThat(cluster.masterOf(slot)).as("comes back as a replica").isNotEqualTo(master);
    }
}
