package io.stampedeguard.cli;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.Topologies;
import io.stampedeguard.redlock.PatientStores;
import io.stampedeguard.testbed.program.ProgramRun;
import io.stampedeguard.testbed.topology.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

/** The address of any member of a cluster suffices to find all of it. */
@Tag("proof")
class ClusterOperatorTest {
    private static final int KEYS = 8;

    /** The common pool may have fewer threads than there are loads. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void commandsReachAllMastersFromAnyMember() throws Exception {
        CachePolicy policy = CachePolicy.builder()
                .leaseTtl(ofSeconds(30))
                .loadTimeout(ofMinutes(10))
                .waitTimeout(ofMinutes(10))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(KEYS);
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = client(cluster);
                StampedeGuardedCache<Integer, String> here = cache(client, policy);
                StampedeGuardedCache<Integer, String> elsewhere = cache(client, policy)) {
            List<CompletableFuture<String>> loads = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                int each = key;
                loads.add(here.getAsync(
                        each, same -> CompletableFuture.supplyAsync(() -> held(running, gate), threads)));
            }
            assertThat(running.await(60, SECONDS)).isTrue();
            CompletableFuture<String> woken = elsewhere.getAsync(0, key -> CompletableFuture.completedFuture("woken"));
            for (String uri :
                    List.of(cluster.nodes().get(0).uri(), cluster.nodes().get(1).uri(), Topologies.uri(cluster))) {
                awaitWaiting(uri);
                assertThat(run("hot", "--redis", uri)).hasSize(1 + KEYS);
                assertThat(run("list", "products", "--redis", uri)).hasSize(1 + KEYS);
            }

            String uri = cluster.nodes().get(0).uri();
            assertThat(run("lease", "products:0", "--release", "--redis", uri))
                    .contains("released; waiting processes were notified");
            assertThat(woken.get(60, SECONDS)).isEqualTo("woken");
            assertThat(run("inspect", "products:0", "--redis", uri)).contains("  payload: 'woken'");
            assertThat(run("invalidate", "products:0", "--redis", uri).get(0)).contains("its entry was fresh");
            gate.countDown();
            for (CompletableFuture<String> load : loads) {
                load.get(60, SECONDS);
            }
        } finally {
            gate.countDown();
        }
    }

    private static String held(CountDownLatch running, CountDownLatch gate) {
        running.countDown();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "loaded";
    }

    /** The first line is the one for which a process waits. */
    private void awaitWaiting(String uri) throws Exception {
        long giveUp = System.nanoTime() + SECONDS.toNanos(30);
        while (!run("hot", "--redis", uri).get(1).matches("'products:0'.* 1")) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
        }
    }

    private static List<String> run(String... arguments) {
        ProgramRun ended = Commands.run(arguments);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.lines();
    }

    private static RedisClusterClient client(RedisCluster cluster) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofSeconds(20));
        return RedisClusterClient.builder()
                .clientConfig(DefaultJedisClientConfig.builder()
                        .resp2()
                        .timeoutMillis((int) PatientStores.PATIENCE.toMillis())
                        .build())
                .poolConfig(pool)
                .nodes(Set.of(
                        new HostAndPort("127.0.0.1", cluster.nodes().get(0).port())))
                .build();
    }

    private static StampedeGuardedCache<Integer, String> cache(RedisClusterClient client, CachePolicy policy) {
        return StampedeGuardedCache.<Integer, String>builder("products")
                .store(RedisStore.using(client, PatientStores.PATIENT))
                .codec(StringCodec.of())
                .policy(policy)
                .build();
    }
}
