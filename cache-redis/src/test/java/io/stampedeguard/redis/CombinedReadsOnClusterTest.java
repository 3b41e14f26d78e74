package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClusterClient;

/** Readers of one process who read at the same time from the masters of a cluster. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombinedReadsOnClusterTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** As many as find a lane to a master, and the first one who does not. */
    private static final int ALONE = 5;

    private static final int TOGETHER = 10;
    private static final int OF_EACH = 20;
    private static final int READS = 200;

    @AutoClose
    private static final StallingCluster cluster = new StallingCluster();

    private final RedisClusterClient client = cluster.client(LONG, 16);
    private final List<String> keys = cluster.keys("together-" + LeaseToken.next(), OF_EACH);

    @AfterEach
    void close() {
        cluster.goOn();
        client.close();
    }

    private RedisStore fill(RedisStore store) {
        keys.forEach(key -> on(store).put(key, valueOf(key), LONG));
        on(store).readAll(keys); // asks who the masters are
        return store;
    }

    private static byte[] valueOf(String key) {
        return ("value of " + key).getBytes(StandardCharsets.UTF_8);
    }

    private static <T> FutureTask<T> started(FutureTask<T> task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void readersOfAllMastersAreAnswered() throws Exception {
        RedisStore store = fill(RedisStore.using(client, SharedRedis.PATIENT));
        List<FutureTask<Integer>> readers = new ArrayList<>();
        for (int thread = 0; thread < 24; thread++) {
            int first = thread;
            readers.add(started(new FutureTask<>(() -> {
                int right = 0;
                for (int i = first; i < first + READS; i++) {
                    String key = keys.get(i % keys.size());
                    assertThat(on(store).read(key)).isEqualTo(valueOf(key));
                    right++;
                }
                return right;
            })));
        }
        for (FutureTask<Integer> reader : readers) {
            assertThat(reader.get()).isEqualTo(READS);
        }
    }

    @Test
    void readersOfAStalledMasterShareReadsAndDelayNobodyElse() throws Exception {
        VirtualTime time = new VirtualTime();
        RedisStore store = fill(RedisStore.using(client, SharedRedis.WITHOUT_BREAKER, time));
        String key = keys.stream().filter(cluster::isStalling).findAny().orElseThrow();
        String ofAnother = keys.stream()
                .filter(each -> !cluster.isStalling(each))
                .findAny()
                .orElseThrow();
        String address = cluster.stalling().host() + ":" + cluster.stalling().port();
        client.getClusterNodes().get(address).addObjects(ALONE); // a stalled server accepts none
        cluster.resetCalls();
        cluster.stall();
        List<FutureTask<byte[]>> readers = new ArrayList<>();
        for (int i = 0; i < ALONE; i++) {
            readers.add(started(new FutureTask<>(() -> store.shared().read(key, LONG))));
        }
        Fleet.until(() -> StallingCluster.inUse(client, cluster.stalling()) == ALONE);
        for (int i = 0; i < TOGETHER; i++) {
            readers.add(started(new FutureTask<>(() -> store.shared().read(key, LONG))));
        }
        time.awaitWaiting(TOGETHER);

        assertThat(store.shared().read(ofAnother, LONG)).isEqualTo(valueOf(ofAnother));
        assertThat(StallingCluster.inUse(client, cluster.stalling())).isEqualTo(ALONE);
        cluster.goOn();

        for (FutureTask<byte[]> reader : readers) {
            assertThat(reader.get()).isEqualTo(valueOf(key));
        }
        assertThat(cluster.calls(cluster.stalling(), "get")).isEqualTo(ALONE + 1);
    }
}
