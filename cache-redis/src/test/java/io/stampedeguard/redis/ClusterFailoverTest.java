package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A cluster of three masters and three replicas, in which slots move and a master is killed. */
@Tag("proof")
class ClusterFailoverTest {
    private static final int ROWS = 240;
    private static final int MOVES = 40;

    /**
     * A failover may lose what the dead master had not yet sent to its replica, including invalidations. For its keys,
     * any version that the origin has had is accepted; for all others, only one that nothing had replaced.
     */
    @Test
    void everyGetIsCorrectWhileSlotsMoveAndAMasterDies() throws Exception {
        try (RedisCluster cluster = RedisCluster.start();
                TrafficMember one = new TrafficMember(Topologies.client(cluster, Topologies.FAILOVER));
                TrafficMember other = new TrafficMember(Topologies.client(cluster, Topologies.FAILOVER))) {
            RedisProcess victim = cluster.masterOf(0);
            List<Integer> victims = IntStream.range(0, ROWS)
                    .filter(row -> cluster.masterOf(slotOf(row)).equals(victim))
                    .boxed()
                    .toList();
            assertThat(victims).hasSizeBetween(ROWS / 10, ROWS / 2);
            letNobodyElseBeReplaced(cluster, victim);
            VersionedRows rows = new VersionedRows(ROWS);
            try (Traffic traffic = new Traffic(List.of(one, other), rows, victims::contains)) {
                traffic.awaitMore();
                moveSlots(cluster, victims);
                traffic.awaitMore();

                victim.kill();
                cluster.awaitAllSlotsServed();
                traffic.awaitMore();

                moveSlots(cluster, victims);
                traffic.end();
            }
            TrafficMember.assertWholeAgain(one, other, rows);
        }
    }

    /** On a busy machine a live master may appear dead, and lose writes. */
    private static void letNobodyElseBeReplaced(RedisCluster cluster, RedisProcess victim) {
        for (RedisProcess node : cluster.nodes()) {
            try (Jedis admin = PlainRedis.admin(node.host(), node.port())) {
                if (!admin.info("replication").contains("master_port:" + victim.port() + "\r")) {
                    admin.configSet("cluster-replica-no-failover", "yes");
                }
            }
        }
    }

    /** Slots of the live masters, so that no write to their keys is lost. */
    private static void moveSlots(RedisCluster cluster, List<Integer> victims) {
        IntStream.range(0, ROWS)
                .filter(row -> !victims.contains(row))
                .limit(MOVES)
                .map(ClusterFailoverTest::slotOf)
                .distinct()
                .forEach(slot -> cluster.migration(slot, theOther(cluster, cluster.masterOf(slot)))
                        .run());
    }

    private static RedisProcess theOther(RedisCluster cluster, RedisProcess master) {
        RedisProcess second = cluster.masterOf(5_461);
        return master.equals(second) ? cluster.masterOf(16_383) : second;
    }

    private static int slotOf(int row) {
        return JedisClusterCRC16.getSlot(new RedisKeys("").value("traffic:" + VersionedRows.name(row)));
    }
}
