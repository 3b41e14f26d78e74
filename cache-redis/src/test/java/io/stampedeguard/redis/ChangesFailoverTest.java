package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.ChangesEar;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;

/** A master is lost while a cache is watched; its successor is used instead. */
@Tag("proof")
class ChangesFailoverTest {
    /** The time in which a server replaces its master, or gives up. */
    private static final Duration FAILOVER_TIMES_OUT = Duration.ofSeconds(5);

    private static final int KEYS = 30;

    @Test
    void onAClusterTheSuccessorOfADeadMasterIsListenedTo() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER);
                RedisClusterClient elsewhere = Topologies.client(cluster, Topologies.FAILOVER);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                RedisStore other = RedisStore.using(elsewhere, SharedRedis.WITHOUT_BREAKER)) {
            ChangesEar ear = listening(store);
            assertAllAreHeard(other, ear, "before");

            cluster.masterOf(0).kill();
            ear.awaitDisconnected(1);
            cluster.awaitAllSlotsServed();

            ear.awaitListening(2);
            ear.awaitAll();
            assertAllAreHeard(other, ear, "after");
            assertThat(ear.isDisturbed()).isFalse();
        }
    }

    /** The old master lives, keeps the connection, and continues to answer pings; and no caller here sends a command. */
    @Test
    void onAClusterWhoOnlyListensNoticesThatAMasterHasBecomeAReplica() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER);
                RedisClusterClient elsewhere = Topologies.client(cluster, Topologies.FAILOVER);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                RedisStore other = RedisStore.using(elsewhere, SharedRedis.WITHOUT_BREAKER)) {
            ChangesEar ear = listening(store);
            RedisProcess former = cluster.masterOf(0);

            failOver(cluster, former);

            ear.awaitDisconnected(1);
            assertThat(cluster.masterOf(0)).isNotEqualTo(former);
            cluster.awaitAllSlotsServed();
            ear.awaitListening(2);
            ear.awaitAll();
            assertAllAreHeard(other, ear, "after");
        }
    }

    /** The replica of a master replaces it, with its consent; on a busy machine an attempt may time out, and is repeated. */
    private static void failOver(RedisCluster cluster, RedisProcess master) {
        do {
            requestFailover(cluster, master);
        } while (!isReplacedSoon(cluster, master));
    }

    private static boolean isReplacedSoon(RedisCluster cluster, RedisProcess master) {
        long giveUp = System.nanoTime() + FAILOVER_TIMES_OUT.toNanos();
        while (System.nanoTime() - giveUp < 0) {
            if (!cluster.masterOf(0).equals(master)) {
                return true;
            }
        }
        return false;
    }

    private static void requestFailover(RedisCluster cluster, RedisProcess master) {
        for (RedisProcess node : cluster.nodes()) {
            try (Jedis admin = PlainRedis.admin(node.host(), node.port())) {
                String role = admin.info("replication");
                if (role.contains("role:slave") && role.contains("master_port:" + master.port() + "\r\n")) {
                    admin.clusterFailover();
                }
            }
        }
    }

    @Test
    void withSentinelsTheNextMasterIsListenedTo() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                RedisSentinelClient client = Topologies.client(sentinels);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            ChangesEar ear = listening(store);
            RedisProcess victim = sentinels.master();

            victim.kill();
            ear.awaitDisconnected(1);
            sentinels.awaitFailoverFrom(victim);

            ear.awaitListening(2);
            assertAllAreHeard(store, ear, "after");
        }
    }

    private static ChangesEar listening(RedisStore store) {
        ChangesEar ear = new ChangesEar();
        changes(store).watchChanges("failover", List.of(ear));
        ear.awaitListening(1);
        return ear;
    }

    private static void assertAllAreHeard(RedisStore other, ChangesEar ear, String when) {
        for (int i = 0; i < KEYS; i++) {
            String key = "failover:" + when + i;
            on(other).put(key, LeaseToken.next().toBytes(), Duration.ofMinutes(1));
            ear.awaitChanged(key);
        }
    }
}
