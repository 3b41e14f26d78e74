package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P5 and P6 on a real server that is killed, restarted, stopped, full, or holds garbage. */
final class RedisTroubleTest {
    private static final int BOUND = 4;

    private final RedisProcess redis = RedisServer.startProcess();
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final StampedeGuardedCache<String, String> cache = textCache("trouble", store)
            .policy(CachePolicy.builder()
                    .maxConcurrentLoads(BOUND)
                    .leaseTtl(Duration.ofSeconds(30)) // a stalled test does not lose it
                    .waitTimeout(Duration.ofMinutes(1))
                    .build())
            .build();
    private final StampedeGuardedCache<String, String> strict = textCache("trouble", store)
            .policy(cache.policy().toBuilder()
                    .onStoreFailure(StoreFailureMode.THROW)
                    .build())
            .build();
    private final Origin origin = new Origin("one");

    @AfterEach
    void close() {
        cache.close();
        strict.close();
        store.close();
        redis.close();
    }

    @Test
    void deadServerCostsNoAnswer() throws Exception {
        assertThat(cache.get("before", origin::read)).isEqualTo("one");
        redis.kill();

        assertThat(cache.get("before", origin::read)).isEqualTo("one");
        assertThat(cache.get("after", origin::read)).isEqualTo("one");
        Fleet.until(() -> cache.faults(FaultSource.STORE) == 4); // read, lease, its release, and a read
    }

    @Test
    void loadsStayWithinTheBoundWhileTheServerIsDead() throws Exception {
        redis.kill();
        origin.close();
        AtomicInteger number = new AtomicInteger();
        try (Callers callers = new Callers()) {
            List<Callers.Call<String>> calls =
                    callers.call(64, () -> cache.get("k" + number.incrementAndGet(), origin::read));
            Fleet.until(() -> origin.running() == BOUND);
            origin.open();
            assertThat(Callers.results(calls)).containsOnly("one");
        }
        assertThat(origin.mostAtOnce()).isEqualTo(BOUND);
        assertThat(origin.reads()).isEqualTo(64);
    }

    @Test
    void stoppedServerCostsTwoTimeoutsAndNoAnswer() {
        RedisStoreOptions impatient = RedisStoreOptions.builder()
                .commandTimeout(Duration.ofSeconds(2))
                .circuitBreaker(false) // it would save the second one
                .build();
        RecordingListener listener = new RecordingListener();
        try (RedisStore brief = RedisStore.connect(redis.uri(), impatient);
                StampedeGuardedCache<String, String> other =
                        textCache("trouble", brief).listener(listener).build()) {
            redis.pause();
            assertThat(other.get("k", origin::read)).isEqualTo("one");
            redis.resume();
            assertThat(listener.count(EventType.STORE_UNAVAILABLE)).isEqualTo(1);
            assertThat(listener.count(EventType.LEASE_UNAVAILABLE)).isEqualTo(1);
        }
    }

    @Test
    void serverThatAnswersSomethingElseThanAskedCostsNoAnswer() {
        try (RedisProcess odd = RedisServer.startProcess(
                        "--rename-command",
                        "GET",
                        "ODDGET",
                        "--rename-command",
                        "STRLEN",
                        "GET",
                        "--rename-command",
                        "EVALSHA",
                        "ODDEVALSHA",
                        "--rename-command",
                        "ECHO",
                        "EVALSHA");
                RedisStore odds = RedisStore.connect(odd.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> other =
                        textCache("odd", odds).build()) {
            assertThat(other.get("k", origin::read)).isEqualTo("one");
            assertThat(other.faults(FaultSource.STORE)).isPositive();
            assertThatThrownBy(() -> on(odds).read("plain:k"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("could not read 'plain:k' at 127.0.0.1:" + odd.port() + ": ");
        }
    }

    @Test
    void closedStoreCostsNoAnswer() {
        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        store.close();

        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        assertThat(origin.reads()).as("loaded once without the store").isEqualTo(2);
    }

    @Test
    void writersAreToldWhatWasNotDone() {
        redis.kill();

        assertThatThrownBy(() -> strict.put("k", "v"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("could not put 'trouble:k'");
        assertThatThrownBy(() -> strict.invalidate("l"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("could not invalidate 'trouble:l'");
        assertThatThrownBy(() -> strict.expire("m"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("could not expire 'trouble:m'");
    }

    @Test
    void invalidationIsReplayedOnARestartedServerBeforeTheKeyIsRead() {
        try (FaultProxy path = FaultProxy.start(redis.host(), redis.port(), 0);
                RedisStore behind = RedisStore.connect(path.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cutOff =
                        textCache("trouble", behind).build()) {
            assertThat(cutOff.get("k", origin::read)).isEqualTo("one");
            path.cut();
            redis.kill();
            origin.write("two");

            cutOff.invalidate("k");
            assertThat(cutOff.get("k", origin::read)).isEqualTo("two");
            redis.restart();
            strict.put("k", "one"); // another process, which has not seen the change, reaches the server first
            path.heal();

            assertThat(cutOff.get("k", origin::read)).isEqualTo("two");
            Fleet.until(() -> strict.get("k", origin::read).equals("two")); // its connections may be dead
        }
    }

    @Test
    void queuedChangesReachTheRestartedServerWithoutAnyRead() {
        AtomicReference<CacheGauges> gauges = new AtomicReference<>();
        CacheListener listener = new CacheListener() {
            @Override
            public void onOpen(String name, CacheGauges opened) {
                gauges.set(opened);
            }
        };
        try (StampedeGuardedCache<String, String> other =
                textCache("trouble", store).listener(listener).build()) {
            redis.kill();
            other.invalidate("a");
            other.put("b", "v");
            other.expire("c");
            assertThat(gauges.get().queuedChanges()).isEqualTo(3);
            redis.restart();

            Fleet.until(() -> gauges.get().queuedChanges() == 0);
        }
    }
}
