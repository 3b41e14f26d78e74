package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.Fleet;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** What each change costs the server, stores there, and publishes, so that none of these changes unnoticed. */
class ScriptCommandsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final byte[] FAILURE = {'n', 'o', 0, '\n', -1};

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();
    private static UnifiedJedis client;
    private static RedisStore store;

    private final LeaseToken token = new LeaseToken(1, 2, 3);
    private final String key = "commands:" + LeaseToken.next();
    private final byte[] lease = new RedisKeys("").lease(key);

    @BeforeAll
    static void start() {
        client = PlainRedis.connectPatiently(redis.uri(), 4);
        store = RedisStore.using(
                client, SharedRedis.PATIENT, new SlowTime()); // the known time of the server does not age
        ServerCheckTest.lease(store);
        ServerCheckTest.awaitCheck(admin);
    }

    @BeforeEach
    void letTheServerKnowEachScript() {
        on(store).lease("known", token, null, LONG);
        store.shared().renew(List.of(new HeldLease("known", token)), LONG);
        on(store).publish("known", token, token.toBytes(), LONG);
        on(store).abandon("known", token);
        on(store).fail("known", token, new LeaseEnd.Fail(FAILURE, 1, LONG, LONG));
        on(store).extend("known", token, token, new byte[1], LONG);
        on(store).pass("known", token, new LeaseEnd.Pass(null, LONG, true, List.of()));
        on(store).expire("known", 0, new byte[1]);
        on(store).put("known", token.toBytes(), LONG);
        on(store).lease("known", LeaseToken.next(), null, LONG); // found: the next requests send the script alone
        on(store).invalidate("known");
        members(store).beat("known", "p", LONG);
        members(store).leave("known", "p");
    }

    @AfterAll
    static void stop() {
        store.close();
        client.close();
    }

    @Test
    void aMissIsEightCommands() {
        assertCommands(
                () -> {
                    on(store).lease(key, token, null, LONG);
                    on(store).publish(key, token, token.toBytes(), LONG);
                },
                "del evalsha evalsha mget mget set set time");
    }

    @Test
    void grantedLeaseIsFourCommandsAndFiveAfterAUselessEntry() {
        assertCommands(() -> on(store).lease(key, token, null, LONG), "evalsha mget set time");
        on(store).publish(key, token, token.toBytes(), LONG);
        assertCommands(() -> on(store).lease(key, LeaseToken.next(), token, LONG), "evalsha getrange mget set time");
    }

    @Test
    void heldLeaseIsThreeCommandsAndFourForTheFirstWaiter() {
        on(store).lease(key, token, null, LONG);
        assertCommands(() -> on(store).lease(key, LeaseToken.next(), null, LONG), "evalsha mget pttl setrange");
        assertCommands(() -> on(store).lease(key, LeaseToken.next(), null, LONG), "evalsha mget pttl");
        assertThat(admin.get(lease)).isEqualTo(joined(token.toBytes(), "060000".getBytes(UTF_8)));
        assertThat(admin.pttl(lease)).isBetween(LONG.toMillis() / 2, LONG.toMillis());
    }

    @Test
    void aFoundEntryIsThreeCommands() {
        on(store).put(key, token.toBytes(), LONG);
        assertCommands(() -> on(store).lease(key, LeaseToken.next(), null, LONG), "evalsha mget time");
    }

    @Test
    void aCoolDownIsThreeCommandsAndOneThatIsOverFive() {
        failed(Duration.ofMinutes(1));
        assertCommands(() -> on(store).lease(key, token, null, LONG), "evalsha mget pttl");
        on(store).invalidate(key);
        failed(Duration.ofMillis(1));
        Fleet.until(() -> admin.pttl(lease) < LONG.toMillis());
        assertCommands(() -> on(store).lease(key, token, null, LONG), "evalsha mget pttl set time");
    }

    @Test
    void publishingIsFourCommandsAndOneMoreIfSomebodyMayWait() {
        on(store).lease(key, token, null, LONG);
        assertCommands(() -> on(store).publish(key, token, token.toBytes(), LONG), "del evalsha mget set");
        on(store).lease(key, token, token, LONG);
        on(store).lease(key, LeaseToken.next(), token, LONG);
        assertCommands(() -> on(store).publish(key, token, token.toBytes(), LONG), "del evalsha mget publish set");
    }

    @Test
    void extendingSendsNoPayloadAndSetsTheEnd() {
        byte[] value = new RedisKeys("").value(key);
        on(store).put(key, joined(token.toBytes(), "payload".getBytes(UTF_8)), Duration.ofSeconds(5));
        on(store).lease(key, token, token, LONG);
        assertCommands(
                () -> on(store).extend(key, token, token, token.toBytes(), LONG),
                "del evalsha getrange mget pexpire setrange strlen");
        assertThat(admin.pttl(value)).isBetween(LONG.toMillis() / 2, LONG.toMillis());
        assertThat(admin.get(value)).isEqualTo(joined(token.toBytes(), "payload".getBytes(UTF_8)));
    }

    @Test
    void passingIsFourCommandsAndOneMoreIfAnEntryGoes() {
        on(store).lease(key, token, null, LONG);
        assertCommands(
                () -> on(store).pass(key, token, new LeaseEnd.Pass(null, LONG, false, List.of())),
                "evalsha mget publish set");
        on(store).invalidate(key);
        on(store).lease(key, token, null, LONG);
        assertCommands(
                () -> on(store).pass(key, token, new LeaseEnd.Pass(null, LONG, true, List.of())),
                "del evalsha mget publish set");
    }

    @Test
    void givingBackIsFourCommands() {
        on(store).lease(key, token, null, LONG);
        assertCommands(() -> on(store).abandon(key, token), "del evalsha get publish");
        on(store).lease(key, token, null, LONG);
        assertCommands(() -> failure(LONG), "evalsha getrange publish set");
    }

    @Test
    void changesByOthersNotifyWaitersAndNearCaches() {
        assertCommands(() -> on(store).invalidate(key), "del evalsha publish publish");
        try (RedisStore timely = RedisStore.connect(redis.uri(), SharedRedis.PATIENT)) {
            on(timely).put(key, token.toBytes(), LONG); // the clock is known
            Map<String, Long> once = counts("del evalsha getrange publish publish set time");
            // On a busy machine a put may be late, and is sent again.
            Fleet.until(() ->
                    callsOf(() -> on(timely).put(key, token.toBytes(), LONG)).equals(once));
        }
        assertCommands(() -> on(store).expire(key, 0, new byte[1]), "del evalsha publish publish setrange strlen");
    }

    @Test
    void announcedProcessCostsSevenCommandsAndItsKeyEndsWithIt() {
        assertCommands(
                () -> members(store).beat("products", "p", LONG),
                "evalsha pexpire time zadd zrange zrange zremrangebyscore");
        assertThat(admin.zrange("{products:}:members", 0, -1)).containsExactly("p");
        assertThat(admin.pttl("{products:}:members")).isBetween(1L, LONG.toMillis());

        assertCommands(() -> members(store).leave("products", "p"), "evalsha zrem");
        assertThat(admin.exists("{products:}:members")).isFalse();
    }

    @Test
    void eachRenewedLeaseIsThreeCommandsAndAllAreOneRoundTrip() {
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            LeaseToken each = LeaseToken.next();
            on(store).lease(key + i, each, null, LONG);
            leases.add(new HeldLease(key + i, each));
        }
        admin.configResetStat();
        assertThat(store.shared().renew(leases, LONG)).isEmpty();
        assertThat(calls())
                .containsOnly(Map.entry("evalsha", 50L), Map.entry("getrange", 50L), Map.entry("pexpire", 50L));

        admin.scriptFlush();
        assertThat(store.shared().renew(leases, LONG))
                .as("the script is forgotten")
                .isEmpty();
    }

    @Test
    void theMarkOfAFailureIsLongerThanAnyTokenAndReadable() {
        on(store).lease(key, token, null, LONG);
        on(store).fail(key, token, new LeaseEnd.Fail(FAILURE, 7, Duration.ofMinutes(2), Duration.ofMinutes(30)));

        assertThat(admin.get(lease))
                .isEqualTo(joined("stampedeguard:failed 7 120000 1800000\n".getBytes(UTF_8), FAILURE));
        assertThat(Duration.ofMillis(admin.pttl(lease))).isBetween(Duration.ofMinutes(31), Duration.ofMinutes(32));
    }

    @Test
    void whatIsToldIsByteForByteWhatItWas() throws InterruptedException {
        byte[] entry = joined(token.toBytes(), "value".getBytes(UTF_8));
        byte[] atMost = new byte[8_192];
        byte[] tooLarge = new byte[8_193];
        System.arraycopy(token.toBytes(), 0, atMost, 0, LeaseToken.BYTES);
        System.arraycopy(token.toBytes(), 0, tooLarge, 0, LeaseToken.BYTES);
        try (Subscriber subscriber = new Subscriber(lease)) {
            for (byte[] each : List.of(entry, atMost, tooLarge)) {
                on(store).lease(key, token, token, LONG);
                on(store).lease(key, LeaseToken.next(), token, LONG);
                on(store).publish(key, token, each, LONG);
            }
            on(store).lease(key, token, token, LONG);
            failure(Duration.ofMillis(1_500));
            on(store).invalidate(key);

            assertThat(subscriber.messages(5))
                    .containsExactly(
                            joined("E".getBytes(UTF_8), entry),
                            joined("E".getBytes(UTF_8), atMost),
                            joined("T".getBytes(UTF_8), token.toBytes()),
                            joined("F".getBytes(UTF_8), token.toBytes(), "1500\n".getBytes(UTF_8), FAILURE),
                            "R".getBytes(UTF_8));
        }
    }

    @Test
    void leaseRequestForALargeSeenEntryReadsOnlyItsHead() {
        byte[] large = new byte[10_000_000];
        System.arraycopy(token.toBytes(), 0, large, 0, LeaseToken.BYTES);
        on(store).put(key, large, LONG);
        admin.configResetStat();

        on(store).lease(key, LeaseToken.next(), token, LONG);
        on(store).lease(key, LeaseToken.next(), token, LONG);

        assertThat(calls())
                .containsEntry("getrange", 2L)
                .containsEntry("mget", 2L) // of the lease, and the generation
                .doesNotContainKey("get");
        assertThat(admin.get(lease)).as("what was read by MGET").hasSizeLessThan(40);
    }

    private void failed(Duration coolDown) {
        on(store).lease(key, token, null, LONG);
        failure(coolDown);
    }

    private void failure(Duration coolDown) {
        on(store).fail(key, token, new LeaseEnd.Fail(FAILURE, 1, coolDown, LONG));
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static void assertCommands(Runnable change, String commands) {
        assertThat(callsOf(change)).isEqualTo(counts(commands));
    }

    private static Map<String, Long> counts(String commands) {
        return Stream.of(commands.split(" ")).collect(groupingBy(each -> each, counting()));
    }

    private static Map<String, Long> callsOf(Runnable change) {
        admin.configResetStat();
        change.run();
        return calls();
    }

    /** Returns the calls of each command, those of all its subcommands together. */
    private static Map<String, Long> calls() {
        return redis.commands().besides("config", "info").entrySet().stream()
                .collect(toMap(call -> call.getKey().split("\\|", 2)[0], Map.Entry::getValue, Long::sum, HashMap::new));
    }

    /** Receives what any program would. */
    private static final class Subscriber extends BinaryJedisPubSub implements AutoCloseable {
        private final List<byte[]> heard = new ArrayList<>();
        private final CountDownLatch subscribed = new CountDownLatch(1);
        private final Jedis connection =
                PlainRedis.admin(redis.server().host(), redis.server().port());

        private Subscriber(byte[] channel) throws InterruptedException {
            Thread thread = new Thread(() -> connection.subscribe(this, channel));
            thread.setDaemon(true);
            thread.start();
            subscribed.await();
        }

        @Override
        public void onSubscribe(byte[] channel, int channels) {
            subscribed.countDown();
        }

        @Override
        public synchronized void onMessage(byte[] channel, byte[] message) {
            heard.add(message);
        }

        private List<byte[]> messages(int count) {
            Fleet.until(() -> heard().size() >= count);
            return heard();
        }

        private synchronized List<byte[]> heard() {
            return List.copyOf(heard);
        }

        @Override
        public void close() {
            unsubscribe();
        }
    }
}
