package io.stampedeguard.redis.internal.subscribe;

import static io.stampedeguard.testkit.KeyCalls.notifications;
import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.OwnRedis;
import io.stampedeguard.redis.OwnThreads;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.Waiter;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** The state of watches while connections and servers fail and return. */
class RedisNoticesTest {
    private static final String THREADS = "stampedeguard-redis-notices";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final RedisStoreOptions OPTIONS =
            SharedRedis.PATIENT.toBuilder().clientName("shop").build();

    @AutoClose
    private final OwnRedis redis = new OwnRedis();

    private final RedisProcess server = redis.server();

    @AutoClose
    private final RedisStore store = RedisStore.connect(redis.uri(), OPTIONS);

    @Test
    void allWatchesListenAgainWhenTheirConnectionWasKilled() {
        List<Waiter> waiters =
                IntStream.range(0, 100).mapToObj(number -> new Waiter()).toList();
        for (int i = 0; i < waiters.size(); i++) {
            notifications(store).watch("killed:" + i, waiters.get(i));
        }
        for (int round = 1; round <= 5; round++) {
            int listenings = round;
            waiters.forEach(waiter -> waiter.awaitListenings(listenings));
            assertThat(redis.admin()
                            .clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB)))
                    .isPositive();
        }

        for (int i = 0; i < waiters.size(); i++) {
            waiters.get(i).awaitListenings(6);
            on(store).invalidate("killed:" + i);
            waiters.get(i).awaitNotices(1);
        }
    }

    @Test
    void connectionThatLivedForAWhileIsOpenedAgainAtOnce() {
        Duration lives = Duration.ofMillis(300);
        AtomicLong ahead = new AtomicLong();
        Queue<Duration> pauses = new ConcurrentLinkedQueue<>();
        TimeSource time = new ForwardingTime(TimeSource.system()) {
            @Override
            public long monotonicNanos() {
                return super.monotonicNanos() + ahead.get();
            }

            @Override
            public Timer schedule(long nanos, Runnable task) {
                pauses.add(Duration.ofNanos(nanos));
                return super.schedule(nanos, task);
            }
        };
        Servers servers = Servers.at(() -> connection(LONG), List::of);
        try (RedisNotices notices =
                new RedisNotices(servers, time, LONG, new BackgroundThreads("notices-test", time))) {
            Waiter waiter = new Waiter();
            notices.watch(channel("lives"), waiter);
            for (int reset = 1; reset <= 5; reset++) {
                waiter.awaitListenings(reset);
                ahead.addAndGet(lives.toNanos());
                redis.admin().clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            }
            waiter.awaitListenings(6);

            assertThat(pauses)
                    .as("those between two checks are longer")
                    .allMatch(pause -> pause.compareTo(Duration.ofMillis(400)) > 0);
        }
    }

    /** Waiting callers of all caches of a store share the thread. */
    @Test
    void aListenerThatThrowsHindersNoOther() {
        Listener throwing = (Listener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Listener.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("\u001b[31m\nforged");
                });
        Waiter waiter = new Waiter();
        LogLines log = LogLines.of(() -> {
            notifications(store).watch("throwing", throwing);
            notifications(store).watch("throwing", waiter);
            waiter.awaitListenings(1);
            on(store).invalidate("throwing");
            waiter.awaitNotices(1);
            on(store).invalidate("throwing");
            waiter.awaitNotices(2);
        });

        assertThat(waiter.listenings()).as("on the first connection").isEqualTo(1);
        assertThat(log.lines())
                .filteredOn(line -> line.contains("A listener for lease notifications threw an exception"))
                .as("one in a minute")
                .hasSize(1);
        assertThat(log.lines()).noneMatch(line -> line.contains("\u001b") || line.startsWith("forged"));
    }

    @Test
    void aServerThatWasKilledAndCameBackIsListenedToAgain() {
        Waiter waiter = new Waiter();
        notifications(store).watch("restart", waiter);
        waiter.awaitListenings(1);
        server.kill();
        Waiter begunMeanwhile = new Waiter();
        notifications(store).watch("restart:2", begunMeanwhile);
        assertThatThrownBy(() -> on(store).invalidate("restart")).isInstanceOf(StoreException.class);
        server.restart();

        waiter.awaitListenings(2);
        begunMeanwhile.awaitListenings(1);
        on(store).invalidate("restart");
        on(store).invalidate("restart:2");

        waiter.awaitNotices(1);
        begunMeanwhile.awaitNotices(1);
    }

    @Test
    void stalledServerBlocksNobodyAndIsHeardWhenItResumes() {
        AtomicInteger opened = new AtomicInteger();
        Servers servers = Servers.at(
                () -> {
                    opened.incrementAndGet();
                    return connection(Duration.ofMillis(500));
                },
                List::of);
        try (RedisNotices notices = new RedisNotices(
                servers, TimeSource.system(), LONG, new BackgroundThreads("notices-test", TimeSource.system()))) {
            Waiter early = new Waiter();
            notices.watch(channel("still:early"), early);
            early.awaitListenings(1);
            server.pause();
            Waiter late = new Waiter();
            long start = System.nanoTime();
            for (int i = 1; i <= 5_000; i++) {
                notices.watch(channel("still:" + i), new Waiter()).close();
            }
            notices.watch(channel("still:late"), late);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(late.listenings()).as("before it was confirmed").isZero();
            Fleet.until(() -> opened.get() > 1);
            server.resume();

            assertThat(took).as("for 5,000 watches").isLessThan(Duration.ofMinutes(1));
            early.awaitListenings(2);
            late.awaitListenings(1);
            on(store).invalidate("still:late");
            late.awaitNotices(1);
        }
    }

    private Connection connection(Duration timeout) {
        return new Connection(
                new HostAndPort(server.host(), server.port()),
                DefaultJedisClientConfig.builder()
                        .resp2()
                        .timeoutMillis((int) timeout.toMillis())
                        .build());
    }

    private static byte[] channel(String key) {
        return new RedisKeys("").lease(key);
    }

    @Test
    void messagesOfOthersAreIgnored() {
        Waiter waiter = new Waiter();
        notifications(store).watch("odd", waiter);
        waiter.awaitListenings(1);
        for (String message : List.of("", "x", "R ", "E", "T123", "F0123456789abcdef", "Fabc\n")) {
            assertThat(redis.admin().publish("{odd}:lease", message)).isEqualTo(1);
        }
        on(store).invalidate("odd");
        waiter.awaitNotices(1);
        assertThat(waiter.notices()).isEqualTo(1);
    }

    @Test
    void aWatchCanBeClosedTwiceAndOthersStay() {
        Waiter gone = new Waiter();
        Waiter stays = new Waiter();
        Watch watch = notifications(store).watch("twice", gone);
        notifications(store).watch("twice", stays);
        stays.awaitListenings(1);
        watch.close();
        watch.close();
        on(store).invalidate("twice");
        stays.awaitNotices(1);
        assertThat(gone.notices()).isZero();
    }

    @Test
    void theConnectionIsOneBesidesThePoolAndCarriesItsName() {
        Waiter waiter = new Waiter();
        for (int i = 0; i < 10; i++) {
            notifications(store).watch("name:" + i, waiter);
        }
        waiter.awaitListenings(10);
        assertThat(redis.clients("name=shop-notices ").count()).isEqualTo(1);
        assertThat(redis.clients("name=shop ").count()).isEqualTo(1);
    }

    @Test
    void nothingIsOpenedBeforeTheFirstWatchAndNothingStaysAfterClose() {
        assertThat(redis.clients("name=shop-notices ")).isEmpty();
        OwnThreads threads = new OwnThreads();
        threads.run(() -> {
            Waiter waiter = new Waiter();
            notifications(store).watch("closed", waiter);
            waiter.awaitListenings(1);
            assertThat(threads.alive(THREADS)).isNotEmpty();

            store.close();

            Fleet.until(() -> redis.clients("name=shop").count() == 0);
            Fleet.until(() -> threads.alive(THREADS).isEmpty());
            notifications(store).watch("closed", waiter).close();
            assertThat(threads.alive(THREADS)).isEmpty();
        });
    }

    @Test
    void nextWatcherHearsNoMessageTooLateForTheLast() {
        Waiter first = new Waiter();
        Watch watch = notifications(store).watch("late", first);
        first.awaitListenings(1);
        on(store).put("late", LeaseToken.next().toBytes(), LONG);
        first.awaitNotices(1);
        watch.close();
        Waiter second = new Waiter();
        notifications(store).watch("late", second);
        second.awaitListenings(1);
        assertThat(second.notices()).isZero();
    }
}
