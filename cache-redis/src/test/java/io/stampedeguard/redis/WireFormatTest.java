package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.KeyCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The store writes and publishes what 0.1 does, byte for byte, and reads what 0.1 has written and published. */
class WireFormatTest {
    private static final String KEY = "products:1";
    private static final String VALUE = "{products:1}";
    private static final String LEASE = "{products:1}:lease";
    private static final String CHANGED = "{products:1}:changed";
    private static final String GENERATION = "{products:}:gen";
    private static final String MARKS = "{products:}:marks";
    private static final String NOTICES = "PUBLISH " + LEASE;
    private static final String CHANGES = "PUBLISH {products:}:changes";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final LeaseToken ONE = token("token-of-a-load.");
    private static final LeaseToken OTHER = token("token-of-another");
    private static final byte[] FAILURE = new FailureText("java.sql.SQLException", "no rows").encode();
    private static final long YEAR_2200 = 7_258_118_400_000L;
    private static final byte[] ENTRY = new Entry(
                    ONE,
                    false,
                    1_000,
                    YEAR_2200,
                    YEAR_2200,
                    37,
                    StringCodec.of().identity(),
                    ByteBuffer.wrap("the value".getBytes(UTF_8)),
                    0,
                    List.of("supplier:7"))
            .encode();

    private static final ValueCodec<String> COMPRESSED_CODEC = ValueCodec.compressed(StringCodec.of(), 16);
    private static final String REPEATED = "the value ".repeat(9) + "lamps";
    private static final byte[] COMPRESSED = compressed();

    private final WireFormat format = new WireFormat(WireFormatTest.class, "wire-format-0.1.txt");
    private final OwnRedis redis = new OwnRedis();
    private final Jedis admin = redis.admin();
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final KeyCalls calls = on(store);
    private final long now = OwnRedis.millis(admin);

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    private static LeaseToken token(String text) {
        return requireNonNull(LeaseToken.startOf(text.getBytes(US_ASCII)));
    }

    private static byte[] compressed() {
        try {
            return new Entry(
                            ONE,
                            false,
                            1_000,
                            YEAR_2200,
                            YEAR_2200,
                            37,
                            COMPRESSED_CODEC.identity(),
                            ByteBuffer.wrap(COMPRESSED_CODEC.encode(REPEATED)),
                            0,
                            List.of())
                    .encode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void storeWritesAndPublishesTheSameBytes() throws IOException, InterruptedException {
        try (Ear ear = new Ear()) {
            record Step(String name, Runnable action) {}
            List<Step> steps = List.of(
                    new Step("lease", () -> calls.lease(KEY, ONE, null, LONG)),
                    new Step("awaited lease", () -> calls.lease(KEY, OTHER, null, LONG)),
                    new Step(
                            "renewed lease",
                            () -> store.shared().renew(List.of(new HeldLease(KEY, ONE)), LONG.plusSeconds(30))),
                    new Step("entry", () -> calls.publish(KEY, ONE, ENTRY, LONG)),
                    new Step("entry extended", () -> {
                        calls.lease(KEY, OTHER, ONE, LONG);
                        calls.lease(KEY, ONE, ONE, LONG);
                        calls.extend(KEY, OTHER, ONE, "another head of.".getBytes(US_ASCII), LONG);
                    }),
                    new Step("compressed entry put", () -> calls.put(KEY, COMPRESSED, LONG)),
                    new Step("entry put", () -> calls.put(KEY, ENTRY, LONG)),
                    new Step("entry expired", () -> calls.expire(KEY, Entry.SOFT_EXPIRY_OFFSET, Entry.staleMark())),
                    new Step("not cacheable", () -> {
                        calls.lease(KEY, ONE, ONE, LONG);
                        calls.pass(KEY, ONE, new LeaseEnd.Pass(ENTRY, LONG, true, List.of()));
                    }),
                    new Step("entry removed", () -> calls.invalidate(KEY)),
                    new Step("failure", () -> {
                        calls.lease(KEY, ONE, null, LONG);
                        calls.fail(KEY, ONE, new LeaseEnd.Fail(FAILURE, 2, Duration.ofSeconds(40), LONG));
                    }),
                    new Step("fence", () -> {
                        admin.del(LEASE);
                        calls.lease(new LeaseRequest(KEY, ONE, null, true), LONG, SharedRedis.PATIENCE);
                    }),
                    new Step("lease given back", () -> {
                        calls.lease(KEY, ONE, null, LONG);
                        calls.abandon(KEY, ONE);
                    }),
                    new Step("process", () -> KeyCalls.members(store).beat("products", "process-1", LONG)),
                    new Step("remembered change", () -> {
                        remember();
                        calls.invalidate(KEY);
                    }),
                    new Step("tag removed", () -> all(new Change.Invalidate(), "supplier:7")),
                    new Step("tag expired", () -> all(new Change.Expire(0, new byte[0]), "ü")),
                    new Step("lease of a generation", () -> calls.lease(KEY, ONE, null, LONG)),
                    new Step("all expired", () -> all(new Change.Expire(0, new byte[0]))),
                    new Step("all removed", () -> all(new Change.Invalidate())));
            for (Step step : steps) {
                step.action.run();
                format.noteKeys(step.name, admin, "*");
                ear.noteMessages(step.name);
            }
        }
        format.assertUnchanged();
    }

    private void all(Change each, String... tags) {
        store.shared().change("products", new Change.OfAll(each, Set.of(tags), false), SharedRedis.PATIENCE);
    }

    private void remember() {
        requireNonNull(store.shared().ability(ChangeMemory.class)).remember("products", ChangeMemory.LONGEST);
    }

    /** Stores what is recorded of a step, as if it had been written now. */
    private void write(String step, String redisKey, Duration ttl) {
        admin.set(
                redisKey.getBytes(UTF_8),
                recorded(step, redisKey),
                SetParams.setParams().px(ttl.toMillis()));
    }

    private byte[] recorded(String step, String where) {
        return WireFormat.bytes(format.recorded(step, where).replace("<millis>", String.valueOf(now)));
    }

    private LeaseAttempt ask() {
        return calls.lease(KEY, OTHER, null, LONG);
    }

    @Test
    void recordedLeasesAreRespected() {
        for (String step : List.of("lease", "awaited lease", "renewed lease", "lease of a generation")) {
            write(step, LEASE, LONG);
            assertThat(ask())
                    .as(step)
                    .isInstanceOfSatisfying(
                            LeaseAttempt.Held.class,
                            held -> assertThat(held.holder()).isEqualTo(ONE));
            assertThat(calls.publish(KEY, OTHER, ENTRY, LONG)).as(step).isFalse();
            assertThat(calls.abandon(KEY, ONE)).as(step).isTrue();
        }
        write("lease", LEASE, LONG);
        admin.set(GENERATION.getBytes(UTF_8), recorded("all removed", GENERATION));
        assertThat(ask()).as("it is from before a removal of all").isInstanceOf(LeaseAttempt.Granted.class);
    }

    @Test
    void recordedMarkersAreRespected() {
        write("failure", LEASE, LONG.plusSeconds(40));
        assertThat(ask()).isInstanceOfSatisfying(LeaseAttempt.Failed.class, failed -> {
            assertThat(failed.failure()).isEqualTo(FAILURE);
            assertThat(failed.failures()).isEqualTo(2);
        });

        write("not cacheable", LEASE, LONG);
        assertThat(ask()).isInstanceOf(LeaseAttempt.NotCacheable.class);

        write("fence", LEASE, LONG);
        assertThat(calls.put(ENTRY, LONG, new KeyFence(KEY, new Fence(OTHER, null, 0))))
                .isFalse();
        assertThat(calls.put(ENTRY, LONG, new KeyFence(KEY, new Fence(ONE, null, 0))))
                .isTrue();
    }

    @Test
    void recordedEntryIsAnsweredUntilARecordedChange() {
        try (StampedeGuardedCache<String, String> cache =
                textCache("products", store).build()) {
            write("entry", VALUE, LONG);
            assertThat(cache.getIfPresent("1")).isEqualTo("the value");

            String[] mark = new String(recorded("tag removed", MARKS), UTF_8).split(" ");
            admin.zadd(MARKS, Double.parseDouble(mark[1]), mark[0]);
            admin.set(GENERATION.getBytes(UTF_8), recorded("tag removed", GENERATION));
            assertThat(cache.getIfPresent("1")).isNull();
        }
    }

    @Test
    void recordedCompressedEntryIsAnsweredWhereValuesAreCompressed() {
        write("compressed entry put", VALUE, LONG);
        assertThat(valueBy(COMPRESSED_CODEC)).isEqualTo(REPEATED);
        assertThat(valueBy(StringCodec.of())).isNull();
        write("entry", VALUE, LONG);
        assertThat(valueBy(COMPRESSED_CODEC)).as("from before").isEqualTo("the value");
    }

    private @Nullable String valueBy(ValueCodec<String> codec) {
        try (StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder("products")
                .store(store)
                .codec(codec)
                .build()) {
            return cache.getIfPresent("1");
        }
    }

    @Test
    void recordedChangeRefusesAnOlderSnapshot() {
        remember();
        long read = OwnRedis.millis(admin) - 1_000;
        assertThat(publishAsOf(read)).isTrue();
        write("remembered change", CHANGED, LONG);
        assertThat(publishAsOf(read)).isFalse();
    }

    @Test
    void whatIsNoTimeCountsAsALaterChangeThanAny() {
        remember();
        for (String text : List.of("nan", "-nan", "inf", "now", "")) {
            admin.set(CHANGED, text);
            assertThat(publishAsOf(OwnRedis.millis(admin) - 1_000)).as(text).isFalse();
        }
        admin.set(CHANGED, "1");
        assertThat(publishAsOf(OwnRedis.millis(admin) - 1_000)).isTrue();
    }

    private boolean publishAsOf(long millis) {
        admin.del(VALUE);
        calls.lease(KEY, ONE, null, LONG);
        HeldLease lease = new HeldLease(KEY, ONE);
        return requireNonNull(store.shared()
                .end(Map.of(lease, new LeaseEnd.Publish(ENTRY, LONG, millis, List.of())))
                .get(lease));
    }

    @Test
    void recordedMessagesAreUnderstood() throws InterruptedException {
        List<Notice> notices = new CopyOnWriteArrayList<>();
        CountDownLatch listening = new CountDownLatch(1);
        KeyCalls.notifications(store).watch(KEY, new Listener() {
            @Override
            public void listening() {
                listening.countDown();
            }

            @Override
            public void onNotice(Notice notice) {
                notices.add(notice);
            }
        });
        listening.await();
        for (String step : List.of("entry", "entry extended", "not cacheable", "failure", "lease given back")) {
            admin.publish(LEASE.getBytes(UTF_8), recorded(step, NOTICES));
        }
        Fleet.until(() -> notices.size() >= 5);
        assertThat(notices)
                .usingRecursiveComparison()
                .isEqualTo(List.of(
                        new Notice.Published(ONE, ENTRY),
                        new Notice.Published(OTHER, null),
                        new Notice.Unstored(ONE, ENTRY),
                        new Notice.Failed(ONE, FAILURE, Duration.ofSeconds(40)),
                        new Notice.Freed()));

        ChangesEar changes = new ChangesEar();
        KeyCalls.changes(store).watchChanges("products", List.of(changes));
        changes.awaitListening(1);
        for (String step : List.of("entry removed", "all removed")) {
            admin.publish("{products:}:changes".getBytes(UTF_8), recorded(step, CHANGES));
        }
        Fleet.until(() -> changes.words().size() >= 3);
        assertThat(changes.words()).containsExactly("listening", "changed products:1", "changed all");
    }

    /** Receives what is published, on any channel. */
    private final class Ear extends BinaryJedisPubSub implements AutoCloseable {
        private static final String END = "end of a step";

        private record Message(String channel, byte[] bytes) {}

        private final BlockingQueue<Message> heard = new LinkedBlockingQueue<>();
        private final CountDownLatch subscribed = new CountDownLatch(1);
        private final Jedis connection =
                PlainRedis.admin(redis.server().host(), redis.server().port());

        private Ear() throws InterruptedException {
            Thread thread = new Thread(() -> {
                try (connection) {
                    connection.psubscribe(this, "*".getBytes(UTF_8));
                }
            });
            thread.setDaemon(true);
            thread.start();
            subscribed.await();
        }

        @Override
        public void onPSubscribe(byte[] pattern, int channels) {
            subscribed.countDown();
        }

        @Override
        public void onPMessage(byte[] pattern, byte[] channel, byte[] message) {
            heard.add(new Message(new String(channel, UTF_8), message));
        }

        private void noteMessages(String step) throws InterruptedException {
            admin.publish(END, "");
            for (Message each = heard.take(); !each.channel.equals(END); each = heard.take()) {
                format.noteMessage(step, each.channel, each.bytes);
            }
        }

        @Override
        public void close() {
            punsubscribe();
        }
    }
}
