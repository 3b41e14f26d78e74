package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A master dies while keys are watched; its successor is used instead. */
@Tag("proof")
class NoticesFailoverTest {
    private static final int KEYS = 30;

    private final List<Waiter> waiters = new ArrayList<>();

    @Test
    void onAClusterTheSuccessorOfADeadMasterIsListenedTo() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Topologies.FAILOVER);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            watch(store);
            RedisProcess victim = cluster.masterOf(0);
            List<Integer> victims = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                if (cluster.masterOf(slot(i)).equals(victim)) {
                    victims.add(i);
                }
            }

            victim.kill();
            cluster.awaitAllSlotsServed();

            victims.forEach(i -> waiters.get(i).awaitListenings(2));
            assertAllHear(store);
        }
    }

    @Test
    void withSentinelsTheNextMasterIsListenedTo() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                RedisSentinelClient client = Topologies.client(sentinels);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER)) {
            watch(store);
            RedisProcess victim = sentinels.master();

            victim.kill();
            sentinels.awaitFailoverFrom(victim);

            waiters.forEach(waiter -> waiter.awaitListenings(2));
            assertAllHear(store);
        }
    }

    private void watch(RedisStore store) {
        for (int i = 0; i < KEYS; i++) {
            Waiter waiter = new Waiter();
            notifications(store).watch(key(i), waiter);
            waiters.add(waiter);
        }
        waiters.forEach(waiter -> waiter.awaitListenings(1));
    }

    private void assertAllHear(RedisStore store) {
        for (int i = 0; i < KEYS; i++) {
            on(store).invalidate(key(i));
            waiters.get(i).awaitNotices(1);
        }
    }

    private static String key(int number) {
        return "failover:" + number;
    }

    private static int slot(int number) {
        return JedisClusterCRC16.getSlot(new RedisKeys("").lease(key(number)));
    }
}
