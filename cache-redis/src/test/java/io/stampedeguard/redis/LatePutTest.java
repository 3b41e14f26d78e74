package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * P2: a put that reaches the server after its call, or after its process stood still, does not bring back what another process has
 * invalidated meanwhile.
 */
final class LatePutTest {
    private static final Duration LONG = ofMinutes(5);
    private static final Duration LONGEST_ON_THE_WAY = ofSeconds(1);
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private final String key = "late:" + UUID.randomUUID();
    private final byte[] old = entry("old");
    private final MovableTime time = new MovableTime();
    private final PutsOnTheirWay client = new PutsOnTheirWay(SharedRedis.uri(), SharedRedis.PATIENCE);
    private final RedisStore store = RedisStore.using(client, SharedRedis.PATIENT, time);
    private final RedisStore other = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    private static byte[] entry(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return ByteBuffer.allocate(LeaseToken.BYTES + bytes.length)
                .put(LeaseToken.next().toBytes())
                .put(bytes)
                .array();
    }

    /** The machine's clocks, each moved by a duration of the test's choice. */
    private static final class MovableTime extends ForwardingTime {
        private volatile long wallMillis;
        private volatile long monotonicNanos;

        MovableTime() {
            super(TimeSource.system());
        }

        @Override
        public long wallMillis() {
            return super.wallMillis() + wallMillis;
        }

        @Override
        public long monotonicNanos() {
            return super.monotonicNanos() + monotonicNanos;
        }
    }

    @BeforeEach
    void begin() {
        on(store).put(key, entry("first"), LONG); // the clock and the script are known
    }

    @AfterEach
    void close() {
        store.close();
        client.close();
        other.close();
    }

    @Test
    void itsPacketsWereHeldUp() {
        RedisStoreOptions hasty = RedisStoreOptions.builder()
                .commandTimeout(ofMillis(300))
                .circuitBreaker(false)
                .build();
        try (RedisProcess redis = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(redis.uri());
                FaultProxy proxy = FaultProxy.start(
                        "localhost", RedisUri.parse(redis.uri()).address().getPort(), 1);
                RedisStore direct = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
                RedisStore heldUp = RedisStore.connect(proxy.uri(), hasty)) {
            on(direct).put(key, entry("first"), LONG);
            Fleet.until(() -> isPut(heldUp)); // on a busy machine its short timeout may pass
            proxy.stall();

            assertThatThrownBy(() -> on(heldUp).put(key, old, LONG)).isInstanceOf(StoreException.class);
            on(direct).invalidate(key);
            long scripts = scripts(admin);
            proxy.heal();

            Fleet.until(() -> scripts(admin) > scripts);
            assertThat(on(direct).read(key)).isNull();
        }
    }

    private boolean isPut(RedisStore heldUp) {
        try {
            on(heldUp).put(key, entry("second"), LONG);
            return true;
        } catch (StoreException tooBusy) {
            return false;
        }
    }

    private static long scripts(Jedis admin) {
        Matcher calls = SCRIPTS.matcher(admin.info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    @Test
    void itWasSentAgainAfterItsConnectionBroke() {
        List<Supplier<Object>> onTheWay = new ArrayList<>();
        client.send(put -> {
            if (onTheWay.isEmpty()) {
                onTheWay.add(put);
                throw broken();
            }
            return put.get();
        });

        assertThat(on(store).put(key, old, LONG, ofSeconds(20))).isTrue();
        assertThat(on(other).read(key)).isEqualTo(old);
        on(other).invalidate(key);
        assertThat(onTheWay.get(0).get()).as("refused, with the clock").isInstanceOf(List.class);

        assertThat(on(other).read(key)).isNull();
    }

    @ForEach
    void itsCallerWasAnsweredOtherwise(boolean isTimeout) {
        List<Supplier<Object>> onTheWay = new ArrayList<>();
        client.send(put -> {
            onTheWay.add(put);
            throw isTimeout ? new JedisConnectionException(new SocketTimeoutException("Read timed out")) : broken();
        });

        assertThatThrownBy(() -> on(store).put(key, old, LONG)).isInstanceOf(StoreException.class);
        on(other).invalidate(key);

        assertThat(onTheWay).hasSize(isTimeout ? 1 : 2);
        for (Supplier<Object> put : onTheWay) {
            assertThat(put.get()).as("refused, with the clock").isInstanceOf(List.class);
        }
        assertThat(on(other).read(key)).isNull();
    }

    private static JedisConnectionException broken() {
        return new JedisConnectionException(new SocketException("Connection reset"));
    }

    /** From before the put is sent until its caller would have given up. */
    @Test
    void itsProcessStoodStill() {
        try (Jedis admin = PlainRedis.admin(SharedRedis.uri())) {
            client.send(put -> {
                on(other).invalidate(key);
                OwnRedis.letPass(admin, LONGEST_ON_THE_WAY);
                time.monotonicNanos += ofSeconds(20).toNanos();
                return put.get();
            });

            assertThat(on(store).put(key, old, LONG, ofSeconds(20))).isFalse();
        }
        assertThat(on(other).read(key)).isNull();
    }

    /** The last answer with the server's clock took a second, all of it on its way there: halfway is half a second ahead. */
    @Test
    void itWasHeldUpAfterASlowAnswer() {
        makeTheClockImprecise();
        List<Supplier<Object>> onTheWay = new ArrayList<>();
        client.send(put -> {
            onTheWay.add(put);
            throw new JedisConnectionException(new SocketTimeoutException("Read timed out"));
        });

        assertThatThrownBy(() -> on(store).put(key, old, LONG, ofSeconds(20))).isInstanceOf(StoreException.class);
        on(other).invalidate(key);

        assertThat(onTheWay.get(0).get()).as("refused, with the clock").isInstanceOf(List.class);
        assertThat(on(other).read(key)).isNull();
    }

    @Test
    void aPutAfterASlowAnswerIsStored() {
        makeTheClockImprecise();
        client.send(Supplier::get);

        assertThat(on(store).put(key, old, LONG, ofSeconds(20))).isTrue();

        assertThat(on(other).read(key)).isEqualTo(old);
    }

    /** Makes all that is known of the server's clock the answer to a put that took a second on its way there. */
    private void makeTheClockImprecise() {
        time.monotonicNanos +=
                ofSeconds(31).toNanos(); // what is known is wrong, so the server refuses and answers its clock
        List<Supplier<Object>> sent = new ArrayList<>();
        client.send(put -> {
            sent.add(put);
            if (sent.size() == 1) {
                time.monotonicNanos += ofSeconds(1).toNanos();
            }
            return put.get();
        });
        assertThat(on(store).put(key, entry("second"), LONG, ofSeconds(20))).isTrue();
        assertThat(sent).hasSize(2);
    }

    /** Its monotonic clock stood still meanwhile: only the wall clock shows that time has passed. */
    @Test
    void itsMachineWasSuspended() {
        time.monotonicNanos -= ofSeconds(20).toNanos();
        client.send(put -> {
            time.wallMillis += ofSeconds(20).toMillis();
            on(other).invalidate(key);
            return put.get();
        });

        assertThat(on(store).put(key, old, LONG, ofSeconds(19))).isFalse();
        assertThat(on(other).read(key)).isNull();
    }

    /** The server's clock is not what this process knows: it was set, or the server is another master. */
    @ParameterizedTest
    @ValueSource(longs = {-25, -1, 1, 25})
    void aPutOnAServerWhoseClockIsNotKnownIsStored(long secondsOff) {
        time.monotonicNanos += ofSeconds(secondsOff).toNanos();

        assertThat(on(store).put(key, old, LONG, ofSeconds(20))).isTrue();

        assertThat(on(other).read(key)).isEqualTo(old);
    }

    @Test
    void aPutWhosePatienceIsOverIsNotSent() {
        client.send(put -> {
            throw new AssertionError("sent");
        });

        assertThat(on(store).put(key, old, LONG, Duration.ZERO)).isFalse();
        assertThat(on(store).put(key, old, LONG, ofSeconds(-1))).isFalse();
    }
}
