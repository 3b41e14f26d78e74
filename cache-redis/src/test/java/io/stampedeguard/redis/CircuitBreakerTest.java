package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.breaker;
import static io.stampedeguard.testkit.KeyCalls.changes;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClusterClient;

/** The circuit breaker on real servers. {@code ServerBreakerTest} has its rules, on a clock of its own. */
@Order(2)
class CircuitBreakerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** No working server takes so long, however busy the machine is. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final RedisStoreOptions OPTIONS =
            RedisStoreOptions.builder().commandTimeout(TIMEOUT).build();

    private final RedisProcess server = RedisServer.startProcess();
    private final FaultProxy proxy = FaultProxy.start(server.host(), server.port(), 1);
    private final RedisStore store = RedisStore.connect(proxy.uri(), OPTIONS);

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        server.close();
    }

    /** Without a timeout: those may be long. */
    private void openByACut() {
        proxy.cut();
        assertThatThrownBy(() -> on(store).read("k")).isInstanceOf(StoreException.class);
        awaitState(BreakerState.OPEN);
    }

    private void awaitState(BreakerState state) {
        Fleet.until(() -> breaker(store).breaker() == state);
    }

    @Test
    void whileItIsOpenNothingIsSentForACaller() {
        openByACut();
        for (int i = 0; i < 1_000; i++) {
            assertThatThrownBy(() -> on(store).read("k"))
                    .hasCauseInstanceOf(ServerBreaker.Open.class)
                    .hasMessageStartingWith("could not read 'k' at ")
                    .satisfies(refused -> assertThat(refused.getStackTrace()).isEmpty());
        }
        proxy.heal();
        awaitState(BreakerState.CLOSED);
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            assertThat(RedisCommands.parse(admin.info("commandstats")).count("get"))
                    .isZero();
        }
        assertThat(on(store).read("k")).isNull();
    }

    @Test
    void openBreakerRefusesWithTheFailureOfARead() {
        assertThat(breaker(store).refusal("k")).isNull();
        openByACut();

        StoreException refusal = (StoreException) requireNonNull(breaker(store).refusal("k"));

        assertThat(refusal)
                .hasCauseInstanceOf(ServerBreaker.Open.class)
                .hasMessageStartingWith("could not read 'k' at ");
        assertThat(refusal.getStackTrace()).isEmpty();
        assertThat(refusal.isUnsent()).isTrue();
        proxy.heal();
        awaitState(BreakerState.CLOSED);
        assertThat(breaker(store).refusal("k")).isNull();
    }

    @Test
    void nothingIsRefusedThatIsSentRegardless() {
        openByACut();

        breaker(store)
                .sendRegardless(() -> assertThat(breaker(store).refusal("k")).isNull());

        assertThat(breaker(store).refusal("k")).isNotNull();
    }

    @Test
    void killedServerOpensItAndARestartedOneClosesIt() {
        RecordingListener listener = new RecordingListener();
        try (StampedeGuardedCache<String, String> cache =
                textCache("products", store).listener(listener).build()) {
            server.kill();
            assertThat(cache.get("k", key -> "v")).isEqualTo("v");
            cache.invalidate("k");
            awaitState(BreakerState.OPEN);
            server.restart();
            awaitState(BreakerState.CLOSED);

            Fleet.until(() -> listener.count(BreakerState.CLOSED) == 1);
            Fleet.until(() -> listener.amounts(EventType.QUEUED_CHANGES).contains(0L));
            assertThat(listener.events(BreakerState.class))
                    .startsWith(BreakerState.OPEN, BreakerState.HALF_OPEN)
                    .endsWith(BreakerState.HALF_OPEN, BreakerState.CLOSED);
        }
    }

    @Test
    void slowServerOpensItAndAPromptOneClosesIt() {
        Fleet.until(() -> isPrompt(store)); // others are compared with the fastest
        proxy.delayAnswers(Duration.ofMillis(2_000), Duration.ZERO); // more than 15 % of the timeout
        Fleet.until(() -> isUnasked(store, "k"));
        proxy.heal();
        awaitState(BreakerState.CLOSED);
    }

    @Test
    void stalledServerOpensItWithoutARequestOfACaller() {
        RedisStoreOptions usual =
                OPTIONS.toBuilder().commandTimeout(Duration.ofSeconds(1)).build();
        ChangesEar ear = new ChangesEar();
        try (RedisStore other = RedisStore.connect(server.uri(), usual)) {
            changes(other).watchChanges("products", List.of(ear));
            ear.awaitListening(1);
            Fleet.until(() -> !ear.proofs().isEmpty());

            server.pause();
            Fleet.until(() -> breaker(other).breaker() != BreakerState.CLOSED);
            server.resume();
            Fleet.until(() -> breaker(other).breaker() == BreakerState.CLOSED);
        }
    }

    @Test
    void renewalsAndPingAreSentWhileItIsOpen() {
        LeaseToken token = LeaseToken.next();
        on(store).lease("k", token, null, LONG);
        openByACut();
        proxy.heal();
        assertThat(store.shared().renew(Set.of(new HeldLease("k", token)), LONG))
                .isEmpty();
        assertThat(store.ping()).isPositive();
        awaitState(BreakerState.CLOSED);
    }

    @Test
    void connectionsThatBrokeWhileIdleAreNoFailure() {
        on(store).read("k");
        for (int i = 0; i < 10; i++) {
            proxy.reset(1);
            assertThat(on(store).read("k")).isNull();
        }
        assertThat(breaker(store).breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void withoutItEachRequestFindsOutByItself() {
        RedisStoreOptions without = OPTIONS.toBuilder().circuitBreaker(false).build();
        try (RedisStore other = RedisStore.connect(server.uri(), without)) {
            server.kill();
            for (int i = 0; i < 10; i++) {
                assertThatThrownBy(() -> on(other).read("k")).hasMessageEndingWith(": Connection refused");
            }
            assertThat(other.shared().ability(BreakerEvents.class)).isNull();
        }
    }

    @Test
    void stalledMasterOpensItsOwnOnly() {
        try (StallingCluster cluster = new StallingCluster();
                RedisClusterClient client = cluster.client(TIMEOUT, 4);
                RedisStore other = RedisStore.using(client, OPTIONS)) {
            List<String> keys = cluster.keys("stalled", 1);
            keys.forEach(on(other)::read);
            cluster.stall();
            String stalled =
                    keys.stream().filter(cluster::isStalling).findFirst().orElseThrow();
            Fleet.until(() -> isUnasked(other, stalled));
            assertThat(breaker(other).refusal(stalled)).isNotNull();
            keys.stream().filter(key -> !cluster.isStalling(key)).forEach(key -> {
                assertThat(breaker(other).refusal(key)).isNull();
                assertThat(on(other).read(key)).isNull();
            });
            cluster.goOn();
            Fleet.until(() -> breaker(other).breaker() == BreakerState.CLOSED);
            assertThat(on(other).read(stalled)).isNull();
        }
    }

    @Test
    void pingsGoToTheirMasterAlsoAfterItsFirstKeyHasMoved() {
        try (StallingCluster cluster = new StallingCluster();
                RedisClusterClient client = cluster.client(TIMEOUT, 4);
                RedisStore other = RedisStore.using(client, OPTIONS)) {
            List<String> keys = cluster.keys("moved", 2).stream()
                    .filter(cluster::isStalling)
                    .toList();
            on(other).read(keys.get(0));
            cluster.moveAway(keys.get(0));
            on(other).read(keys.get(0)); // now the new masters are known
            on(other).read(keys.get(1));

            cluster.stall();
            Fleet.until(() -> isUnasked(other, keys.get(1)));
            cluster.goOn();
            Fleet.until(() -> breaker(other).breaker() == BreakerState.CLOSED);
        }
    }

    private static boolean isPrompt(RedisStore store) {
        long begun = System.nanoTime();
        return !isUnasked(store, "k")
                && System.nanoTime() - begun < Duration.ofMillis(100).toNanos();
    }

    private static boolean isUnasked(RedisStore store, String key) {
        try {
            on(store).read(key);
            return false;
        } catch (StoreException failure) {
            return failure.getCause() instanceof ServerBreaker.Open;
        }
    }
}
