package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** Many threads watch a few keys, stop, and watch again, while the subscriber connection is cut now and then. */
class NoticesStressTest {
    private static final int THREADS = 16;
    private static final int ROUNDS = 1_000;
    private static final int KEYS = 5;
    private static final int KILLS = 5;
    private static final ClientKillParams PUBSUB =
            ClientKillParams.clientKillParams().type(ClientType.PUBSUB);

    @Test
    void whoListensHearsAndInTheEndNothingIsSubscribed() throws Exception {
        run(false);
    }

    @Test
    void whoListensHearsAlsoWhenTheSubscriberIsKilledNowAndThen() throws Exception {
        run(true);
    }

    private static void run(boolean killing) throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (RedisProcess server = RedisServer.startProcess();
                RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
                Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            List<Future<Integer>> heard = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed + i);
                Callable<Integer> watcher = () -> watchOftenWith(store, random, killing);
                heard.add(threads.submit(watcher));
            }
            for (int kill = 0; killing && kill < KILLS; kill++) {
                Fleet.until(() -> admin.clientKill(PUBSUB) > 0 || heard.stream().allMatch(Future::isDone));
            }
            for (Future<Integer> each : heard) {
                assertThat(each.get()).as("seed %d", seed).isEqualTo(ROUNDS);
            }
            Fleet.until(() -> admin.pubsubChannels().isEmpty());
            for (int i = 0; i < KEYS; i++) {
                String channel = "{stress:" + i + "}:lease";
                assertThat(admin.pubsubNumSub(channel)).as("seed %d", seed).isEqualTo(Map.of(channel, 0L));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Once a watch is confirmed, it is notified of every later event, or of a disconnection. */
    private static int watchOftenWith(RedisStore store, Random random, boolean killing) {
        int rounds = 0;
        for (; rounds < ROUNDS; rounds++) {
            String key = "stress:" + random.nextInt(KEYS);
            Waiter waiter = new Waiter();
            Watch watch = notifications(store).watch(key, waiter);
            try {
                if (random.nextInt(4) == 0) {
                    continue; // closes a watch that may not be confirmed yet
                }
                waiter.awaitListenings(1);
                int listenings = waiter.listenings();
                on(store).invalidate(key);
                if (killing) {
                    waiter.awaitNoticeOrListenings(listenings + 1);
                } else {
                    waiter.awaitNotices(1);
                }
            } finally {
                watch.close();
            }
        }
        return rounds;
    }
}
