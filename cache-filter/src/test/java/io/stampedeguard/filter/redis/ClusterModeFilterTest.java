package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** A server in cluster mode behind one address refuses scripts and pipelines of several slots. */
class ClusterModeFilterTest {
    private static RedisProcess server;

    @BeforeAll
    static void start() {
        server = RedisServer.startProcess("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT);
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            admin.clusterAddSlotsRange(0, 16_383);
            Fleet.until(() -> admin.clusterInfo().contains("cluster_state:ok"));
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void filterOfAConnectedStoreWorks() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            assertFilterWorks("connected", store);
        }
    }

    @Test
    void filterOfAStoreOnAClientWorks() {
        try (UnifiedJedis client = PlainRedis.connectPatiently(server.uri(), 4);
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT)) {
            assertFilterWorks("using", store);
        }
    }

    private static void assertFilterWorks(String name, RedisStore store) {
        try (RedisKeyFilter<Long> filter =
                RedisKeyFilter.<Long>builder(name, store).expectedKeys(1_000).build()) {
            filter.rebuild(() -> LongStream.range(0, 1_000).boxed());
            assertThat(filter.definitelyAbsent(
                            LongStream.range(-100, 1_000).boxed().toList()))
                    .isSubsetOf(LongStream.range(-100, 0).boxed().toList())
                    .hasSizeGreaterThan(50);
        }
    }
}
