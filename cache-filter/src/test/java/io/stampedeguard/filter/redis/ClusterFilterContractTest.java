package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedCluster;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.Topologies;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.topology.RedisCluster;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;

/** The partitions of a filter are on all three masters. */
@Tag("topology")
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class ClusterFilterContractTest extends RedisKeyFilterContract {
    private static RedisCluster cluster;
    private static RedisClusterClient client;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        cluster = SharedCluster.get();
        client = Topologies.client(cluster);
        store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
    }

    @Override
    protected RedisStore store() {
        return store;
    }

    @Test
    @Tag("essential")
    void eachMasterHasAboutAThirdOfThePartitions() {
        RedisKeyFilter<Long> filter = RedisKeyFilter.<Long>builder("shared-out", store)
                .expectedKeys(10)
                .build();
        filter.rebuild(Stream.of(1L));
        filter.close();
        IntStream.of(0, 8_192, 16_383).mapToObj(cluster::masterOf).forEach(master -> {
            try (Jedis admin = PlainRedis.admin(master.host(), master.port())) {
                assertThat(admin.keys("{shared-out:*:a")).hasSizeBetween(4, 18);
            }
        });
    }
}
