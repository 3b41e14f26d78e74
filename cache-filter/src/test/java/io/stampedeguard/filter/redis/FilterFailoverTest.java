package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedCluster;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.Topologies;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Another server takes over, which may lack some additions. */
class FilterFailoverTest {
    private static final int ROWS = 1_000;
    private static final KeyHash<Long> HASH = KeyHash.standard();

    private static RedisKeyFilter<Long> open(RedisStore store) {
        return RedisKeyFilter.<Long>builder("failover", store)
                .expectedKeys(ROWS)
                .build();
    }

    private static Stream<Long> rows() {
        return LongStream.rangeClosed(1, ROWS).boxed();
    }

    private static List<Long> nonexistent() {
        return LongStream.rangeClosed(1, ROWS).mapToObj(row -> -row).toList();
    }

    /** Looks up each by itself, and then all together. */
    private static List<Long> absent(RedisKeyFilter<Long> filter) {
        List<Long> absent =
                nonexistent().stream().filter(row -> !filter.mightContain(row)).toList();
        assertThat(filter.definitelyAbsent(nonexistent())).isEqualTo(absent);
        return absent;
    }

    @Test
    void replicaIsNotAskedAndOneThatWasPromotedMayLackKeys() {
        try (RedisProcess master = startServer();
                RedisProcess replica = startServer();
                Jedis admin = PlainRedis.admin(replica.host(), replica.port());
                Jedis formerAdmin = PlainRedis.admin(master.host(), master.port());
                RedisStore store = RedisStore.connect(master.uri(), SharedRedis.PATIENT);
                RedisStore replicaStore = RedisStore.connect(replica.uri(), SharedRedis.PATIENT);
                RedisKeyFilter<Long> filter = open(store);
                RedisKeyFilter<Long> other = open(replicaStore)) {
            follow(admin, master);
            filter.rebuild(FilterFailoverTest::rows);
            Fleet.until(() -> admin.keys("*").size() == 64);
            long nonexistent = filter.definitelyAbsent(nonexistent()).get(0);
            assertThatThrownBy(() -> other.mightContain(nonexistent)).hasMessageContaining("READONLY");
            assertThatThrownBy(() -> other.rebuild(FilterFailoverTest::rows)).hasMessageContaining("READONLY");

            admin.replicaofNoOne();
            assertThat(freshlyAbsent(replicaStore)).isEmpty();
            other.rebuild(() -> Stream.of(nonexistent));
            assertThat(freshlyAbsent(replicaStore)).isNotEmpty();

            follow(formerAdmin, replica);
            assertThatThrownBy(() -> filter.mightContain(-ROWS - 1L))
                    .as("on connections to the former master")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("READONLY");
            formerAdmin.replicaofNoOne();
            assertThat(freshlyAbsent(store)).as("promoted once more").isEmpty();
        }
    }

    /** A server whose replicas can follow at once. */
    private static RedisProcess startServer() {
        return RedisServer.startProcess("--repl-diskless-sync-delay", "0");
    }

    private static void follow(Jedis replica, RedisProcess master) {
        replica.replicaof(master.host(), master.port());
        Fleet.until(() -> replica.info("replication").contains("master_link_status:up"));
    }

    /** Queries a filter for which Redis has not failed recently, so that the query really reaches Redis. */
    private static List<Long> freshlyAbsent(RedisStore store) {
        try (RedisKeyFilter<Long> fresh = open(store)) {
            return fresh.definitelyAbsent(nonexistent());
        }
    }

    /** The server then gets a new replication id, as when it may have lost something. Unnecessary, but safe. */
    @Test
    void firstReplicaOfAMasterCostsTheFilter() {
        try (RedisProcess master = startServer();
                RedisProcess first = startServer();
                RedisProcess second = startServer();
                Jedis firstAdmin = PlainRedis.admin(first.host(), first.port());
                Jedis secondAdmin = PlainRedis.admin(second.host(), second.port());
                RedisStore store = RedisStore.connect(master.uri(), SharedRedis.PATIENT);
                RedisKeyFilter<Long> filter = open(store)) {
            filter.rebuild(FilterFailoverTest::rows);
            follow(firstAdmin, master);
            assertThat(filter.definitelyAbsent(nonexistent())).isEmpty();

            filter.rebuild(FilterFailoverTest::rows);
            follow(secondAdmin, master);
            firstAdmin.replicaofNoOne();
            assertThat(filter.definitelyAbsent(nonexistent()))
                    .as("the second costs nothing")
                    .isNotEmpty();
        }
    }

    @Test
    @Tag("proof")
    void sentinelFailoverLetsAllKeysPassUntilTheNextRebuild() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                RedisSentinelClient client = Topologies.client(sentinels)) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            try (RedisKeyFilter<Long> filter = open(store)) {
                filter.rebuild(FilterFailoverTest::rows);
                assertThat(filter.definitelyAbsent(nonexistent())).isNotEmpty();
                RedisProcess former = sentinels.master();
                former.kill();
                sentinels.awaitFailoverFrom(former);

                assertThat(rows()).allMatch(filter::mightContain);
                Awaitility.await()
                        .dontCatchUncaughtExceptions()
                        .atMost(Duration.ofMinutes(2))
                        .ignoreExceptionsInstanceOf(StoreException.class)
                        .untilAsserted(() -> assertThat(freshlyAbsent(store)).isEmpty());
                filter.rebuild(FilterFailoverTest::rows);
                assertThat(filter.definitelyAbsent(rows().toList())).isEmpty();
                assertThat(filter.definitelyAbsent(nonexistent())).isNotEmpty();
            }
        }
    }

    @Test
    @ResourceLock(SharedCluster.LOCK)
    void movedSlotCostsItsPartitionAloneUntilTheNextRebuild() {
        RedisCluster cluster = SharedCluster.get();
        try (RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER)) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            try (RedisKeyFilter<Long> filter = open(store)) {
                filter.rebuild(FilterFailoverTest::rows);
                int slot = JedisClusterCRC16.getSlot("{failover:filter:07}:state");
                RedisProcess target = cluster.masterOf((slot + 5_462) % 16_384);
                cluster.migration(slot, target).run();

                assertThat(absent(filter))
                        .hasSizeGreaterThan(ROWS / 2)
                        .noneMatch(row -> BlockedBloom.partition(HASH.of(row)) == 7);
                filter.rebuild(FilterFailoverTest::rows);
                assertThat(absent(filter)).anyMatch(row -> BlockedBloom.partition(HASH.of(row)) == 7);
            }
        }
    }

    @Test
    @Tag("proof")
    void deadMasterOfAClusterCostsItsPartitionsAlone() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER)) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            try (RedisKeyFilter<Long> filter = open(store)) {
                filter.rebuild(FilterFailoverTest::rows);
                List<Long> absent = filter.definitelyAbsent(nonexistent());
                RedisProcess victim = cluster.masterOf(0);
                List<Long> ofOthers = absent.stream()
                        .filter(row -> !cluster.masterOf(slotOf(row)).equals(victim))
                        .toList();
                victim.kill();

                assertThat(rows()).allMatch(filter::mightContain);
                assertThat(filter.definitelyAbsent(absent)).isEqualTo(ofOthers);
                cluster.awaitAllSlotsServed();
                Fleet.until(store::isAnswering); // the circuit breaker of the dead master knows its successor
                assertThat(freshlyAbsent(store)).as("of the successor").isEqualTo(ofOthers);
                filter.rebuild(FilterFailoverTest::rows);
                assertThat(freshlyAbsent(store)).isEqualTo(absent);
            }
        }
    }

    private static int slotOf(long row) {
        return JedisClusterCRC16.getSlot(
                "{failover:filter:%02d}:state".formatted(BlockedBloom.partition(HASH.of(row))));
    }
}
