package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;
import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.Fleet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Only the current master of the slot notifies waiting processes. */
@ResourceLock(SharedCluster.LOCK)
class ClusterNoticesTest {
    private static final int KEYS = 60;

    private static final RedisCluster cluster = SharedCluster.get();

    @AutoClose
    private static final RedisClusterClient client = Topologies.client(cluster);

    @AutoClose
    private static final RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);

    @Test
    void oneConnectionToEachMasterHearsAllItsSlots() {
        List<Watched> all = watchAll("each");
        Fleet.until(() -> subscribers() == 3);

        all.forEach(each -> on(store).invalidate(each.key));

        all.forEach(each -> each.waiter.awaitNotices(1));
        all.forEach(each -> each.watch.close());
        Fleet.until(() -> channels() == 0);
    }

    @Test
    void aSlotThatMovesIsListenedToAtItsNewMaster() {
        List<Watched> all = watchAll("moves");
        Watched moving = all.get(0);
        int slot = JedisClusterCRC16.getSlot(moving.channel());
        RedisProcess source = cluster.masterOf(slot);
        RedisProcess target = Stream.of(0, 5_461, 16_383)
                .map(cluster::masterOf)
                .filter(master -> !master.equals(source))
                .findFirst()
                .orElseThrow();

        cluster.migration(slot, target).run();

        moving.waiter.awaitListenings(2);
        all.forEach(each -> on(store).invalidate(each.key));
        all.forEach(each -> each.waiter.awaitNotices(1));
        assertThat(all.stream().filter(each -> each.waiter.listenings() > 1)).containsExactly(moving);
        all.forEach(each -> each.watch.close());
    }

    @Test
    void aSlotThatHasMovedUnseenIsFoundByTheNextWatch() {
        Watched first = new Watched("unseen");
        first.waiter.awaitListenings(1);
        first.watch.close();
        Fleet.until(() -> channels() == 0);
        int slot = JedisClusterCRC16.getSlot(first.channel());
        RedisProcess source = cluster.masterOf(slot);
        RedisProcess target = cluster.masterOf(0).equals(source) ? cluster.masterOf(16_383) : cluster.masterOf(0);
        cluster.migration(slot, target).run();

        Watched second = new Watched("unseen");

        second.waiter.awaitListenings(1);
        on(store).invalidate("unseen");
        second.waiter.awaitNotices(1);
        second.watch.close();
    }

    @Test
    void subscribersThatWereKilledAreMended() {
        List<Watched> all = watchAll("killed");
        for (RedisProcess node : cluster.nodes()) {
            ask(
                    node,
                    admin ->
                            admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB)));
        }
        all.forEach(each -> each.waiter.awaitListenings(2));
        all.forEach(each -> on(store).invalidate(each.key));
        all.forEach(each -> each.waiter.awaitNotices(1));
        all.forEach(each -> each.watch.close());
    }

    private static List<Watched> watchAll(String name) {
        List<Watched> all = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            all.add(new Watched(name + ":" + i));
        }
        all.forEach(each -> each.waiter.awaitListenings(1));
        return all;
    }

    private static final class Watched {
        private final String key;
        private final Waiter waiter = new Waiter();
        private final Watch watch;

        private Watched(String key) {
            this.key = key;
            this.watch = notifications(store).watch(key, waiter);
        }

        private String channel() {
            return new String(new RedisKeys("").lease(key), StandardCharsets.UTF_8);
        }
    }

    private static long subscribers() {
        return cluster.nodes().stream()
                .mapToLong(node -> ask(
                        node,
                        admin -> admin.clientList()
                                .lines()
                                .filter(line -> line.contains(" flags=P "))
                                .count()))
                .sum();
    }

    private static long channels() {
        return cluster.nodes().stream()
                .mapToLong(node ->
                        ask(node, admin -> (long) admin.pubsubShardChannels().size()))
                .sum();
    }
}
