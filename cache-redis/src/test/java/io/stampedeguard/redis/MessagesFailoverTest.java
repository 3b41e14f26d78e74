package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.ChangesEar;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A master is lost while keys, and their cache, are watched; its successor is used instead. */
@Tag("proof")
class MessagesFailoverTest {
    /** The time in which a server replaces its master, or gives up. */
    private static final Duration FAILOVER_TIMES_OUT = Duration.ofSeconds(5);

    private static final int KEYS = 30;

    private final ChangesEar ear = new ChangesEar();
    private final List<Waiter> waiters =
            IntStream.range(0, KEYS).mapToObj(number -> new Waiter()).toList();

    @Test
    void successorOfADeadMasterOfAClusterIsListenedTo() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER);
                RedisClusterClient elsewhere = Topologies.client(cluster, Topologies.FAILOVER);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                RedisStore other = RedisStore.using(elsewhere, SharedRedis.WITHOUT_BREAKER)) {
            watch(store);
            RedisProcess victim = cluster.masterOf(0);
            List<Integer> victims = IntStream.range(0, KEYS)
                    .filter(number -> cluster.masterOf(slot(number)).equals(victim))
                    .boxed()
                    .toList();

            victim.kill();
            ear.awaitDisconnected(1);
            cluster.awaitAllSlotsServed();

            ear.awaitListening(2);
            ear.awaitAll();
            victims.forEach(number -> waiters.get(number).awaitListenings(2));
            assertAllAreHeard(other);
            assertThat(ear.isDisturbed()).isFalse();
        }
    }

    /** The old master lives, keeps the connection, and continues to answer pings; and no caller here sends a command. */
    @Test
    void whoOnlyListensNoticesThatAMasterHasBecomeAReplica() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER);
                RedisClusterClient elsewhere = Topologies.client(cluster, Topologies.FAILOVER);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                RedisStore other = RedisStore.using(elsewhere, SharedRedis.WITHOUT_BREAKER)) {
            changes(store).watchChanges("failover", List.of(ear));
            ear.awaitListening(1);
            RedisProcess former = cluster.masterOf(0);

            failOver(cluster, former);

            ear.awaitDisconnected(1);
            assertThat(cluster.masterOf(0)).isNotEqualTo(former);
            cluster.awaitAllSlotsServed();
            ear.awaitListening(2);
            ear.awaitAll();
            for (int number = 0; number < KEYS; number++) {
                on(other).invalidate(key(number));
                ear.awaitChanged(key(number));
            }
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
    void nextMasterOfSentinelsIsListenedTo() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                RedisSentinelClient client = Topologies.client(sentinels);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            watch(store);
            RedisProcess victim = sentinels.master();

            victim.kill();
            ear.awaitDisconnected(1);
            sentinels.awaitFailoverFrom(victim);

            ear.awaitListening(2);
            waiters.forEach(waiter -> waiter.awaitListenings(2));
            assertAllAreHeard(store);
        }
    }

    private void watch(RedisStore store) {
        changes(store).watchChanges("failover", List.of(ear));
        for (int number = 0; number < KEYS; number++) {
            notifications(store).watch(key(number), waiters.get(number));
        }
        ear.awaitListening(1);
        waiters.forEach(waiter -> waiter.awaitListenings(1));
    }

    private void assertAllAreHeard(RedisStore other) {
        for (int number = 0; number < KEYS; number++) {
            on(other).put(key(number), LeaseToken.next().toBytes(), Duration.ofMinutes(1));
            ear.awaitChanged(key(number));
            waiters.get(number).awaitNotices(1);
        }
    }

    private static String key(int number) {
        return "failover:" + number;
    }

    private static int slot(int number) {
        return JedisClusterCRC16.getSlot(new RedisKeys("").lease(key(number)));
    }
}
