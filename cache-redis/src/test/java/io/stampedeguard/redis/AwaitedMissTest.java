package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What a miss for which another process loads costs the server. */
class AwaitedMissTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Nothing is renewed, and nobody polls. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(LONG)
            .loadTimeout(LONG)
            .waitTimeout(LONG)
            .poll(LONG)
            .build();

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final Jedis admin = redis.admin();
    private final RedisStore leaders = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final RedisStore followers = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
        followers.close();
        leaders.close();
    }

    @Test
    void aProcessThatWaitsCostsSixCommandsTheFirstOneMore() throws Exception {
        try (StampedeGuardedCache<String, String> leader = cache(leaders);
                StampedeGuardedCache<String, String> follower = cache(followers)) {
            waits(leader, follower, "first", "value"); // opens the connection for messages
            ServerCheckTest.awaitCheck(admin);

            assertThat(waits(leader, follower, "second", "value"))
                    .containsOnly(
                            Map.entry("mget", 2L), // the read, and one within the script
                            Map.entry("evalsha", 1L),
                            Map.entry("pttl", 1L),
                            Map.entry("setrange", 1L), // only the first that is told "held"
                            Map.entry("subscribe", 1L),
                            Map.entry("getrange", 1L));
            assertThat(calls("mget"))
                    .as("one more by the publication: the message had the value")
                    .isEqualTo(3);
        }
    }

    @Test
    void entryTooLargeForAMessageCostsOnlyOneMoreRead() throws Exception {
        try (StampedeGuardedCache<String, String> leader = cache(leaders);
                StampedeGuardedCache<String, String> follower = cache(followers)) {
            waits(leader, follower, "large", "x".repeat(10_000));

            assertThat(calls("mget"))
                    .as("before and after the wait, and within both scripts")
                    .isEqualTo(4);
        }
    }

    private static StampedeGuardedCache<String, String> cache(RedisStore store) {
        return textCache("awaited", store).policy(POLICY).build();
    }

    /** Returns the commands of the follower until it waits; the end of its subscription is one more. */
    private Map<String, Long> waits(
            StampedeGuardedCache<String, String> leader,
            StampedeGuardedCache<String, String> follower,
            String key,
            String value)
            throws Exception {
        CountDownLatch inLoader = new CountDownLatch(1);
        CompletableFuture<String> loaded = new CompletableFuture<>();
        Future<String> leads = threads.submit(() -> leader.get(key, each -> {
            inLoader.countDown();
            return loaded.join();
        }));
        inLoader.await();
        admin.configResetStat();
        Future<String> waits = threads.submit(() -> follower.get(key, each -> "its own"));
        Fleet.until(() -> calls("getrange") == 1);
        Map<String, Long> asked = calls();

        loaded.complete(value);
        assertThat(waits.get(1, TimeUnit.MINUTES)).isEqualTo(value);
        assertThat(leads.get(1, TimeUnit.MINUTES)).isEqualTo(value);
        Fleet.until(() -> calls("unsubscribe") == 1);
        assertThat(calls("evalsha")).as("the request, and the publication").isEqualTo(2);
        return asked;
    }

    private long calls(String command) {
        return redis.calls(command);
    }

    private Map<String, Long> calls() {
        return redis.commands().besides("config", "info", "ping", "hello", "client");
    }
}
