package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InvalidationEvents.LostEntry;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** A real server that is killed and comes back empty: processes put back what they hold, and load the rest. */
final class RestartedEmptyTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int KEYS = 50;
    private static final int MANY = 1_000;

    private final RedisProcess redis = RedisServer.startProcess();
    private final Rows rows = new Rows();
    private final List<Member> members = List.of(new Member(), new Member());

    /** The origin: all rows have one value; loads are counted. */
    private static final class Rows {
        private final LongAdder loads = new LongAdder();
        private volatile String value = "one";

        String read(String key) {
            loads.increment();
            return value;
        }
    }

    /** A process. */
    private final class Member implements CacheListener, AutoCloseable {
        private final Map<Enum<?>, LongAdder> counts = new ConcurrentHashMap<>();
        private final AtomicInteger gaps = new AtomicInteger();
        private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
        private final StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder(
                        "restarted")
                .store(store)
                .codec(StringCodec.of())
                .policy(CachePolicy.builder()
                        .softTtl(LONG)
                        .leaseTtl(Duration.ofSeconds(30)) // a stalled test does not lose it
                        .waitTimeout(Duration.ofMinutes(1))
                        .build())
                .nearCache(NearCacheOptions.builder().maximumSize(1_000).build())
                .listener(this)
                .build();

        @Override
        public void onAnswer(String name, AnswerSource source) {
            count(source);
        }

        @Override
        public void onLease(String name, LeaseOutcome outcome) {
            count(outcome);
        }

        @Override
        public void onNearGap(String name) {
            gaps.incrementAndGet();
        }

        private void count(Enum<?> event) {
            counts.computeIfAbsent(event, each -> new LongAdder()).increment();
        }

        private long number(Enum<?> event) {
            LongAdder count = counts.get(event);
            return count == null ? 0 : count.sum();
        }

        private String get(String key) {
            return cache.get(key, rows::read);
        }

        /** Waits until the near cache answers: only then is it told of changes. */
        private void awaitNear() {
            Fleet.until(() -> {
                get("near");
                return number(AnswerSource.NEAR) > 0;
            });
        }

        @Override
        public void close() {
            cache.close();
            store.close();
        }
    }

    @AfterEach
    void close() {
        members.forEach(Member::close);
        redis.close();
    }

    private static List<String> keys(int from) {
        List<String> keys = new ArrayList<>();
        for (int key = from; key < from + KEYS; key++) {
            keys.add("k" + key);
        }
        return keys;
    }

    private void restart() {
        redis.kill();
        Fleet.until(() -> members.stream().allMatch(member -> member.gaps.get() > 0));
        redis.restart();
    }

    /** What is put back later than 30 s after the start is loaded; the machine may be as slow as that. */
    private void assumeInTime() {
        assumeThat(uptimeSeconds()).isLessThan(28);
    }

    private long uptimeSeconds() {
        return Long.parseLong(info("uptime_in_seconds"));
    }

    private String info(String field) {
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            return admin.info("server")
                    .lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .map(line -> line.substring(field.length() + 1).trim())
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void whatProcessesHoldIsPutBackAndOnlyTheRestIsLoaded() {
        members.forEach(Member::awaitNear);
        keys(0).forEach(members.get(0)::get);
        keys(KEYS).forEach(members.get(1)::get);
        long before = rows.loads.sum();
        restart();

        keys(0).forEach(members.get(0)::get);
        members.get(1).cache.getAll(keys(KEYS), asked -> Map.of());
        keys(0).forEach(members.get(1)::get);
        keys(2 * KEYS).forEach(members.get(0)::get);
        long loads = rows.loads.sum() - before;

        assumeInTime();
        assertThat(loads).isEqualTo(KEYS);
        assertThat(members.get(0).number(LeaseOutcome.PUT_BACK)).isEqualTo(KEYS);
        assertThat(members.get(1).number(LeaseOutcome.PUT_BACK)).isEqualTo(KEYS);
    }

    @Test
    void aChangeAfterTheRestartIsNotUndone() {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        rows.value = "two";
        restart();

        members.get(1).cache.invalidate("k");

        assertThat(members.get(0).get("k")).isEqualTo("two");
        assertThat(members.get(1).get("k")).isEqualTo("two");
        assertThat(members.get(0).number(LeaseOutcome.PUT_BACK)).isZero();
    }

    /** A server answers the caller first, and then those who listen, one after the other. */
    @Test
    void aChangeThatReturnedJustBeforeTheServerDiedIsNotUndone() throws IOException {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        try (Listeners listeners = new Listeners()) {
            listeners.subscribe("{restarted:}:changes", MANY);
            rows.value = "two";

            members.get(1).cache.invalidate("k");
            restart();
        }

        assertThat(members.get(0).get("k")).isEqualTo("two");
    }

    /** Until the change returns, others may put back what was there. */
    @Test
    void aChangeIsMadeAgainIfTheServerHasRestartedBeforeItIsConfirmed() throws Exception {
        RedisStore other = members.get(0).store;
        members.get(0).awaitNear();
        try (FaultProxy proxy = FaultProxy.start(redis.host(), redis.port(), 0);
                RedisStore changing = RedisStore.connect(proxy.uri(), SharedRedis.PATIENT)) {
            changing.invalidate("restarted:first"); // the server knows the scripts
            proxy.truncateAnswers(":2\r\n".length());
            FutureTask<Void> change = new FutureTask<>(() -> changing.invalidate("restarted:c"), null);
            new Thread(change).start(); // the end of a process is told on the common pool, which may have one thread
            Fleet.until(() -> proxy.lostBytes() > 0);
            restart();
            LeaseToken token = granted(other, "restarted:c");
            boolean restored = restore(other, "restarted:c", token, "another", Long.MAX_VALUE);
            other.expire("restarted:c", 0, new byte[1]); // a change, too, but what was put back is still there

            proxy.heal();
            assumeInTime();
            change.get(1, TimeUnit.MINUTES);

            assertThat(restored).isTrue();
            assertThat(other.read("restarted:c")).isNull();
        }
    }

    /** Connections that listen to a channel, and are told before those that have done so for longer. */
    private final class Listeners implements AutoCloseable {
        private final List<Socket> sockets = new ArrayList<>();

        void subscribe(String channel, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                Socket socket = new Socket(redis.host(), redis.port());
                sockets.add(socket);
                socket.getOutputStream().write(("SUBSCRIBE " + channel + "\r\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read())
                        .as("the begin of an array")
                        .isEqualTo('*');
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void afterAFlushEverythingIsLoaded() {
        members.forEach(Member::awaitNear);
        members.get(0).get("k");
        rows.value = "two";
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.flushAll();
            admin.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "pubsub");
        }
        Fleet.until(() -> members.get(0).gaps.get() > 0);

        assertThat(members.get(0).get("k")).isEqualTo("two");
        assertThat(members.get(0).number(LeaseOutcome.PUT_BACK)).isZero();
    }

    @Test
    void whileTheServerMayBeAnotherOneEachAnswerCarriesItsClock() {
        Member member = members.get(0);
        member.awaitNear();
        IntStream.range(0, 16).forEach(answer -> member.store.learnTime());
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            assertThat(timesOf(admin, member.store, keys(0)))
                    .as("the clock is known")
                    .isLessThanOrEqualTo(1);

            admin.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "pubsub");
            Fleet.until(() -> member.gaps.get() > 0);

            assertThat(timesOf(admin, member.store, keys(KEYS))).isEqualTo(KEYS);
        }
    }

    /** Returns how many requests for leases ask for the server's time. */
    private static long timesOf(Jedis admin, RedisStore store, List<String> keys) {
        admin.configResetStat();
        store.leaseAll(
                keys.stream()
                        .map(key -> new LeaseRequest(key, LeaseToken.next(), null))
                        .toList(),
                LONG);
        return RedisCommands.parse(admin.info("commandstats")).count("time");
    }

    @Test
    void anEntryOfAnotherRunIsRestoredUnderItsLease() {
        RedisStore store = members.get(0).store;
        LeaseToken token = granted(store, "restarted:r");

        Boolean restored = restore(store, "restarted:r", token, "another", Long.MAX_VALUE);
        assumeInTime();
        assertThat(restored).isTrue();
        assertThat(restore(store, "restarted:r", token, "another", Long.MAX_VALUE))
                .as("as if the answer was lost")
                .isTrue();
        assertThat(restore(store, "restarted:r", LeaseToken.next(), "another", Long.MAX_VALUE))
                .isFalse();

        assertThat(store.read("restarted:r")).isEqualTo(token.toBytes());
        assertThat(store.lease("restarted:r", LeaseToken.next(), token, LONG))
                .as("the lease has ended")
                .isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void anEntryOfThisRunIsNot() {
        assertNotRestored("restarted:s", info("run_id"), Long.MAX_VALUE);
    }

    @Test
    void anEntryIsNotRestoredIfAnOlderRunHasGivenAnswers() {
        assertNotRestored("restarted:t", "another", members.get(0).store.currentTimeMillis() - LONG.toMillis());
    }

    @Test
    void anEntryThatWasChangedInThisRunIsNotRestoredThoughAnotherLeaseWasGrantedMeanwhile() {
        RedisStore store = members.get(1).store;
        store.invalidate("restarted:i");
        store.put("restarted:p", LeaseToken.next().toBytes(), Duration.ofMillis(1));
        store.expire("restarted:e", 0, new byte[1]);
        Fleet.until(() -> store.read("restarted:p") == null);
        for (String key : List.of("restarted:i", "restarted:p", "restarted:e")) {
            store.abandon(key, granted(store, key));
            assertNotRestored(key, "another", Long.MAX_VALUE);
        }
    }

    @Test
    void anEntryIsNotRestoredAfterAFlushWhichForgetsChanges() {
        members.get(1).store.invalidate("restarted:f");
        try (Jedis admin = PlainRedis.admin(redis.host(), redis.port())) {
            admin.flushAll();
        }

        assertNotRestored("restarted:f", "another", Long.MAX_VALUE);
    }

    private void assertNotRestored(String key, String run, long answeredMillis) {
        RedisStore store = members.get(0).store;
        LeaseToken token = granted(store, key);

        assertThat(restore(store, key, token, run, answeredMillis)).isFalse();

        assertThat(store.read(key)).isNull();
        granted(store, key);
    }

    private static LeaseToken granted(RedisStore store, String key) {
        LeaseToken token = LeaseToken.next();
        assertThat(store.lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        return token;
    }

    private static Boolean restore(RedisStore store, String key, LeaseToken token, String run, long answeredMillis) {
        NewEntry entry = new NewEntry(new HeldLease(key, token), token.toBytes(), LONG);
        return store.restoreAll(List.of(new LostEntry(entry, run, answeredMillis)))
                .get(key);
    }
}
