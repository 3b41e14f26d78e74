package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.SharedStoreContract;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;

/** A cluster of one member: it refuses a script whose keys are in different slots, as any cluster does. */
class ClusterContractTest extends SharedStoreContract {
    private static RedisProcess member;
    private static RedisClusterClient client;

    @BeforeAll
    static void start() {
        member = RedisServer.startProcess("--cluster-enabled", "yes", "--cluster-port", RedisProcess.FREE_PORT);
        HostAndPort address = new HostAndPort(member.host(), member.port());
        try (Jedis admin = new Jedis(address)) {
            admin.sendCommand(Protocol.Command.CLUSTER, "ADDSLOTSRANGE", "0", "16383");
            await().until(() -> new String((byte[]) admin.sendCommand(Protocol.Command.CLUSTER, "INFO"), UTF_8)
                    .contains("cluster_state:ok"));
        }
        client = RedisClusterClient.builder().nodes(Set.of(address)).build();
    }

    @AfterAll
    static void stop() {
        client.close();
        member.close();
    }

    @Override
    protected SharedStore store() {
        return RedisStore.using(client);
    }

    @Override
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }
}
