package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.util.Pool;

class LostConnectionsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** For a test that waits for a timeout where an interrupt ends no wait; no working server takes so long. */
    private static final Duration BRIEF = Duration.ofSeconds(10);

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final RedisProcess server = redis.server();
    private final String key = "lost:1";
    private final LeaseToken token = LeaseToken.next();

    @ForEach
    void onlyALeaseRequestFailsWhenAllIdleConnectionsWereKilled(boolean onAnApplicationsClient) {
        try (RedisClient client = PlainRedis.connectPatiently(server.uri(), 4);
                RedisStore store = onAnApplicationsClient
                        ? RedisStore.using(client, SharedRedis.PATIENT)
                        : RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            killAll(client);
            assertThat(on(store).read(key)).isNull();
            killAll(client);
            assertThatThrownBy(() -> on(store).lease(key, LeaseToken.next(), null, LONG))
                    .as("to be requested with another token")
                    .isInstanceOf(StoreException.class);
            assertThat(on(store).lease(key, token, null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
            LeaseToken other = LeaseToken.next();
            on(store).lease("lost:2", other, null, LONG);
            killAll(client);
            assertThat(store.shared().renew(List.of(new HeldLease(key, token), new HeldLease("lost:2", other)), LONG))
                    .isEmpty();
            killAll(client);
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
            killAll(client);
            on(store).expire(key, 0, new byte[] {1});
            killAll(client);
            on(store).put(key, token.toBytes(), LONG);
            killAll(client);
            assertThat(on(store).abandon(key, token)).isFalse();
            killAll(client);
            on(store).invalidate(key);
            assertThat(on(store).read(key)).isNull();
        }
    }

    /** Kills all connections, those of a client, whose pool is full then, among them. */
    private void killAll(RedisClient client) {
        Pool<Connection> pool = client.getPool();
        pool.addObjects(pool.getMaxTotal() - pool.getNumIdle() - pool.getNumActive());
        killIdle(redis.admin());
    }

    @Test
    void aServerThatWasKilledAndCameBackIsUsedAgain() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).put(key, token.toBytes(), LONG);
            server.kill();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> on(store).invalidate(key))
                        .isInstanceOf(StoreException.class)
                        .hasMessage("could not invalidate 'lost:1' at 127.0.0.1:%d: Connection refused", server.port());
            }
            assertThatCode(store.shared()::currentTimeMillis).doesNotThrowAnyException();

            server.restart();

            assertThat(on(store).read(key)).isNull();
            on(store).put(key, token.toBytes(), LONG);
            assertThat(on(store).read(key)).isEqualTo(token.toBytes());
        }
    }

    @Test
    void serverThatStartsLaterCausesOneWarningAndIsUsed() {
        server.kill();
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
                assertThatThrownBy(() -> on(store).read(key)).isInstanceOf(StoreException.class);
                server.restart();
                assertThat(on(store).read(key)).isNull();
            }
        });
        assertThat(log.only(""))
                .contains("WARN io.stampedeguard.redis.RedisStore - could not connect to Redis at 127.0.0.1:"
                        + server.port() + ": Connection refused; the cache works without Redis until it answers");
    }

    @Test
    void aClosedStoreFailsAndCanBeClosedAgain() {
        RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
        store.close();
        store.close();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> on(store).read(key),
                () -> on(store).readAll(List.of(key)),
                () -> on(store).invalidate(key),
                store::ping)) {
            assertThatThrownBy(call)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the RedisStore is closed, or the client that it uses");
        }
    }

    @Test
    void publishingTwiceBecauseTheAnswerWasLostIsPublished() {
        try (RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT)) {
            on(store).lease(key, token, null, LONG);
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isTrue();
            on(store).invalidate(key);
            assertThat(on(store).publish(key, token, token.toBytes(), LONG)).isFalse();
        }
    }

    @Test
    void anInterruptTakesNoMoreConnectionsDownThanItsOwn() throws Exception {
        RedisStoreOptions options = RedisStoreOptions.builder()
                .maxConnections(8)
                .clientName("the-pool")
                .circuitBreaker(false) // its PINGs would need connections as well
                .commandTimeout(BRIEF)
                .build();
        try (RedisStore store = RedisStore.connect(server.uri(), options)) {
            openAll(store);
            Set<String> before = poolConnections();
            assertThat(before).hasSize(8);
            server.pause();
            FutureTask<Throwable> cutOff =
                    new FutureTask<>(() -> catchThrowable(() -> on(store).read(key)));
            Thread reader = Threads.unstarted(cutOff);
            reader.start();
            reader.interrupt();
            assertThat(cutOff.get()).isInstanceOf(StoreException.class);
            server.resume();

            assertThat(on(store).read(key)).isNull();
            Set<String> after = poolConnections();
            after.retainAll(before);
            assertThat(after).hasSizeGreaterThanOrEqualTo(7);
        }
    }

    /** Opens one connection for each of eight writers, which wait for their answers until all are open. */
    private void openAll(RedisStore store) throws Exception {
        redis.admin().clientPause(LONG.toMillis(), ClientPauseMode.WRITE);
        List<FutureTask<?>> writers = IntStream.range(0, 8)
                .<FutureTask<?>>mapToObj(i -> new FutureTask<>(() -> on(store).invalidate(key), null))
                .toList();
        writers.forEach(writer -> new Thread(writer).start());
        Fleet.until(() -> poolConnections().size() == 8);
        redis.admin().clientUnpause();
        for (FutureTask<?> writer : writers) {
            writer.get();
        }
    }

    private Set<String> poolConnections() {
        return redis.clients("name=the-pool")
                .map(line -> line.substring(0, line.indexOf(' ')))
                .collect(Collectors.toSet());
    }

    /** Virtual threads where Java has them: an interrupt closes a socket in which one of them waits. */
    private static final class Threads {
        static Thread unstarted(Runnable task) throws ReflectiveOperationException {
            if (Runtime.version().feature() < 21) {
                return new Thread(task);
            }
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
        }
    }

    static void killIdle(Jedis admin) {
        long killed = admin.clientKill(
                ClientKillParams.clientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES));
        assertThat(killed).isPositive();
    }
}
