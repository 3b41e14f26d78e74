package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.JedisClusterCRC16;

/** P6 on servers that are alive and answer, but not with what was requested. */
class UnwillingServersTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Origin origin = new Origin("one");

    /** Its name may already lead to the next master, so new connections are opened. */
    @Test
    void theConnectionsToADemotedMasterAreLeft() {
        RedisStoreOptions options =
                SharedRedis.PATIENT.toBuilder().clientName("the-pool").build();
        try (RedisProcess master = RedisServer.startProcess();
                RedisStore store = RedisStore.connect(master.uri(), options);
                Jedis admin = PlainRedis.admin(master.host(), master.port())) {
            Set<String> before = poolConnections(admin);
            assertThat(before).isNotEmpty();
            admin.replicaof(master.host(), 1);

            assertThatThrownBy(() -> on(store).invalidate("k")).isInstanceOf(StoreException.class);

            Fleet.until(() -> Collections.disjoint(poolConnections(admin), before));
            assertThat(on(store).read("k")).isNull();
        }
    }

    private static Set<String> poolConnections(Jedis admin) {
        return admin.clientList()
                .lines()
                .filter(line -> line.contains("name=the-pool"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .collect(Collectors.toSet());
    }

    @Test
    void aReplicaWithoutItsMasterRefusesAllAndCostsNoAnswer() {
        RedisProcess gone = RedisServer.startProcess();
        gone.close();
        try (RedisProcess replica = RedisServer.startProcess("--replica-serve-stale-data", "no");
                RedisStore store = RedisStore.connect(replica.uri(), SharedRedis.PATIENT);
                Jedis admin = PlainRedis.admin(replica.host(), replica.port())) {
            admin.replicaof(gone.host(), gone.port());

            assertThatThrownBy(() -> on(store).read("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("MASTERDOWN");
            assertTroubleIsNotThrownFromGet(store, "MASTERDOWN");
        }
    }

    @Test
    void aClusterThatIsDownCostsNoAnswer() {
        try (RedisProcess node = lonelyNode();
                RedisStore store = RedisStore.connect(node.uri(), SharedRedis.PATIENT)) {
            assertThatThrownBy(() -> on(store).read("k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("CLUSTERDOWN");
            assertTroubleIsNotThrownFromGet(store, "CLUSTERDOWN");
        }
    }

    @Test
    @ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
    void clusterNodeThatRedirectsAPlainClientCostsNoAnswer() {
        int slot = JedisClusterCRC16.getSlot("{unwilling:k}");
        RedisProcess another = SharedCluster.get().masterOf((slot + 8_192) % 16_384);
        try (RedisStore store = RedisStore.connect(another.uri(), SharedRedis.PATIENT)) {
            assertTroubleIsNotThrownFromGet(store, "MOVED");
        }
    }

    @Test
    void aClusterOfWhichNobodyIsLeftCostsNoAnswer() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = Topologies.client(cluster, Duration.ofMillis(500))) {
            RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
            on(store).invalidate("unwilling:k");
            cluster.nodes().forEach(RedisProcess::kill);

            assertTroubleIsNotThrownFromGet(store, "could not read the generation of cache 'unwilling': ");
        }
    }

    /** A member without slots. */
    private static RedisProcess lonelyNode() {
        RedisProcess node =
                RedisServer.startProcess("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT);
        try (Jedis admin = PlainRedis.admin(node.host(), node.port())) {
            admin.sendCommand(Protocol.Command.CLUSTER, "ADDSLOTS", "0");
        }
        return node;
    }

    private void assertTroubleIsNotThrownFromGet(RedisStore store, String told) {
        try (StampedeGuardedCache<String, String> cache =
                textCache("unwilling", store).build()) {
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads())
                    .as("what was loaded is kept, whether or not the store answers reads")
                    .isEqualTo(1);
            assertThat(cache.faults(FaultSource.STORE)).isPositive();
            assertThatThrownBy(() -> on(store).lease("unwilling:k", LeaseToken.next(), null, LONG))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(told);
            assertThatThrownBy(() -> on(store).invalidate("unwilling:k")).isInstanceOf(StoreException.class);
            cache.invalidate("k"); // is queued
            assertThat(cache.get("k", origin::read)).isEqualTo("one");
        }
    }
}
