package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** After some granted leases, a request for the lease of one key begins with plain commands. */
class SingleLeaseTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int ENOUGH = 8;

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();
    private static UnifiedJedis client;
    private static RedisStore store;

    private final LeaseToken token = LeaseToken.next();
    private final String key = "single:" + token;
    private final byte[] value = new RedisKeys("").value(key);
    private final byte[] lease = new RedisKeys("").lease(key);

    @BeforeAll
    static void start() {
        client = PlainRedis.connectPatiently(redis.uri(), 2);
        store = RedisStore.using(client, SharedRedis.PATIENT, new SlowTime());
        ServerCheckTest.lease(store);
        ServerCheckTest.awaitCheck(admin);
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
    }

    @BeforeEach
    void grantLeases() {
        grant(store);
    }

    private static void grant(RedisStore to) {
        for (int granted = 0; granted < ENOUGH; granted++) {
            LeaseToken each = LeaseToken.next();
            on(to).lease("granted:" + each, each, null, Duration.ofSeconds(1));
        }
    }

    private LeaseAttempt request() {
        admin.configResetStat();
        return on(store).lease(key, token, null, LONG);
    }

    private byte[] leaseOf(LeaseToken holder) {
        return ByteBuffer.allocate(21)
                .put(holder.toBytes())
                .put("60000".getBytes(UTF_8))
                .array();
    }

    @Test
    void leaseIsTakenBeforeTheReadAndAsByTheScript() {
        admin.configSet("slowlog-log-slower-than", "0");
        admin.slowlogReset();

        assertThat(request()).isEqualTo(new LeaseAttempt.Granted(0));

        Map<String, Long> calls = redis.calls();
        List<String> latestFirst = admin.slowlogGet().stream()
                .map(command -> command.getArgs().get(0))
                .filter(command -> command.equals("MGET") || command.equals("SET"))
                .limit(2)
                .toList();
        admin.configSet("slowlog-log-slower-than", "-1");
        assertThat(latestFirst).containsExactly("MGET", "SET");
        assertThat(calls).isEqualTo(Map.of("set", 1L, "mget", 1L, "time", 1L));
        assertThat(admin.get(lease)).isEqualTo(leaseOf(token));
        assertThat(admin.pttl(lease)).isBetween(LONG.toMillis() / 2, LONG.toMillis());
        assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
    }

    @Test
    void heldLeaseLeavesThisAndTheNextRequestsToTheScript() {
        LeaseToken holder = LeaseToken.next();
        on(store).lease(key, holder, holder, LONG);

        assertThat(request())
                .isInstanceOfSatisfying(
                        LeaseAttempt.Held.class,
                        held -> assertThat(held.holder()).isEqualTo(holder));
        assertThat(redis.calls()).containsEntry("mget", 2L).containsEntry("evalsha", 1L);

        assertThat(request()).isInstanceOf(LeaseAttempt.Held.class);
        assertThat(redis.calls()).isEqualTo(Map.of("evalsha", 1L, "mget", 1L, "pttl", 1L));
        assertThat(store.shared().renew(List.of(new HeldLease(key, holder)), LONG))
                .isEmpty();
    }

    @Test
    void existingEntryIsFoundAndTheLeaseGivenBackToWaiters() throws Exception {
        on(store).put(key, holding("value"), LONG);
        CountDownLatch listening = new CountDownLatch(1);
        CountDownLatch freed = new CountDownLatch(1);
        Watch watch = notifications(store).watch(key, new LeaseNotifications.Listener() {
            @Override
            public void listening() {
                listening.countDown();
            }

            @Override
            public void onNotice(LeaseNotifications.Notice notice) {
                freed.countDown();
            }
        });
        assertThat(listening.await(1, TimeUnit.MINUTES)).isTrue();

        assertThat(request())
                .isInstanceOfSatisfying(
                        LeaseAttempt.Found.class,
                        found -> assertThat(found.stored()).isEqualTo(holding("value")));

        assertThat(freed.await(1, TimeUnit.MINUTES)).isTrue();
        watch.close();
        assertThat(admin.exists(lease)).isFalse();
        assertThat(request()).isInstanceOf(LeaseAttempt.Found.class);
        assertThat(redis.calls()).as("by the script").isEqualTo(Map.of("evalsha", 1L, "mget", 1L, "time", 1L));
    }

    private byte[] holding(String payload) {
        byte[] text = payload.getBytes(UTF_8);
        return ByteBuffer.allocate(16 + text.length)
                .put(new LeaseToken(1, 2, 3).toBytes())
                .put(text)
                .array();
    }

    @Test
    void whatIsNoEntryIsNotFound() {
        admin.set(value, new byte[3]);
        assertThat(request()).isEqualTo(new LeaseAttempt.Granted(0));
        on(store).invalidate(key);
        admin.sadd(value, new byte[3]);
        assertThat(request()).isEqualTo(new LeaseAttempt.Granted(0));
        assertThat(redis.calls()).isEqualTo(Map.of("set", 1L, "mget", 1L, "time", 1L));
    }

    @Test
    void theMarksOfLoadsStay() {
        on(store).lease(key, token, null, LONG);
        on(store).fail(key, token, new LeaseEnd.Fail(new byte[] {1}, 2, LONG, LONG));
        assertThat(request()).isInstanceOf(LeaseAttempt.Failed.class);
        on(store).invalidate(key);
        grantLeases();
        on(store).lease(key, token, null, LONG);
        on(store).pass(key, token, new LeaseEnd.Pass(null, LONG, false, List.of()));
        assertThat(request()).isInstanceOf(LeaseAttempt.NotCacheable.class);
    }

    @Test
    void failuresInARowAreCountedThoughTheCoolDownIsOver() {
        on(store).lease(key, token, null, LONG);
        on(store).fail(key, token, new LeaseEnd.Fail(new byte[] {1}, 2, Duration.ofMillis(1), LONG));
        Fleet.until(() -> admin.pttl(lease) < LONG.toMillis());
        grantLeases();

        assertThat(request()).isEqualTo(new LeaseAttempt.Granted(2));
    }

    @Test
    void aRequestThatIsRepeatedAfterItsAnswerWasLostIsGranted() {
        on(store).lease(key, token, null, LONG);

        assertThat(request()).isEqualTo(new LeaseAttempt.Granted(0));
        assertThat(admin.get(lease)).isEqualTo(leaseOf(token));
    }

    @Test
    void aKeyWhoseEntryWasSeenIsLeftToTheScript() {
        on(store).put(key, holding("value"), LONG);
        admin.configResetStat();

        assertThat(on(store).lease(key, token, new LeaseToken(1, 2, 3), LONG)).isEqualTo(new LeaseAttempt.Granted(0));

        assertThat(redis.calls()).isEqualTo(Map.of("evalsha", 1L, "getrange", 1L, "mget", 1L, "set", 1L, "time", 1L));
    }

    @Test
    void aServerThatRefusesWritesStillTellsWhoHoldsTheLease() {
        LeaseToken holder = LeaseToken.next();
        on(store).lease(key, holder, null, LONG);
        admin.configSet("maxmemory", "1");
        try {
            assertThat(request())
                    .isInstanceOfSatisfying(
                            LeaseAttempt.Held.class,
                            held -> assertThat(held.holder()).isEqualTo(holder));
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void aServerThatRefusesWritesGrantsNothing() {
        admin.configSet("maxmemory", "1");
        try {
            assertThat(catchThrowable(this::request))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("maxmemory");
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    /** All promises of a store, each request after granted leases. */
    @Nested
    class OfAStore extends LeaseNotificationsContract {
        @Override
        protected CacheStore store() {
            grant(store);
            return store;
        }
    }
}
