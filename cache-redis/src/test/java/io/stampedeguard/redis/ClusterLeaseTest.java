package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Leases are renewed on three masters at once. */
class ClusterLeaseTest {
    private static final Duration IMPATIENT = Duration.ofMillis(500);

    private static RedisCluster cluster;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        cluster = SharedCluster.get();
        client = Topologies.client(cluster);
    }

    @AfterAll
    static void stop() {
        client.close();
    }

    @Test
    @ResourceLock(SharedCluster.LOCK)
    void leasesAreRenewedThoughAllIdleConnectionsWereKilled() {
        RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            HeldLease lease = new HeldLease("renewed:" + i, LeaseToken.next());
            on(store).lease(lease.key(), lease.token(), null, Duration.ofMinutes(1));
            leases.add(lease);
        }
        for (RedisProcess node : cluster.nodes()) {
            try (Jedis admin = PlainRedis.admin(node.host(), node.port())) {
                admin.clientKill(ClientKillParams.clientKillParams()
                        .type(ClientType.NORMAL)
                        .skipMe(ClientKillParams.SkipMe.YES));
            }
        }

        assertThat(store.shared().renew(leases, Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void leasesOfTheMastersThatLiveAreRenewedThoughOneIsDead() {
        try (RedisCluster three = RedisCluster.startWithoutFailover();
                RedisClusterClient their = Topologies.client(three, IMPATIENT)) {
            RedisStore store = RedisStore.using(their, SharedRedis.WITHOUT_BREAKER);
            RedisKeys keys = new RedisKeys("");
            Map<HeldLease, RedisProcess> masters = new LinkedHashMap<>();
            for (int i = 0; i < 30; i++) {
                HeldLease lease = new HeldLease("renewed:" + i, LeaseToken.next());
                on(store).lease(lease.key(), lease.token(), null, Duration.ofMinutes(1));
                masters.put(lease, three.masterOf(JedisClusterCRC16.getSlot(keys.lease(lease.key()))));
            }
            RedisProcess victim = masters.values().iterator().next();
            victim.kill();

            assertThatThrownBy(() -> store.shared().renew(masters.keySet(), Duration.ofMinutes(10)))
                    .isInstanceOf(StoreException.class);

            masters.values().removeIf(victim::equals);
            masters.forEach((lease, master) -> {
                try (Jedis direct = PlainRedis.admin(master.host(), master.port())) {
                    assertThat(direct.pttl(keys.lease(lease.key())))
                            .as(lease.key())
                            .isGreaterThan(60_000);
                }
            });
        }
    }
}
