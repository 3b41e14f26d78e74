package io.stampedeguard.redlock;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.PatientTime;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** What Redlock prevents, and what it does not, as callers of caches see it. */
class RedlockCacheTest {
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(Duration.ofSeconds(50))
            .loadTimeout(Duration.ofMinutes(2))
            .waitTimeout(Duration.ofMinutes(1))
            .build();

    private final LockServerProcesses servers = new LockServerProcesses(3);
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final RecordingListener others = new RecordingListener();
    private final Origin origin = new Origin("one");
    private final Callers callers = new Callers();

    @AfterEach
    void stop() {
        origin.open();
        caches.forEach(StampedeGuardedCache::close);
        callers.close();
        servers.close();
    }

    @Test
    void forgottenLeaseMeansTwoLoadsAtOnceWithoutLockServers() throws Exception {
        origin.close();
        Callers.Call<String> first = get(cache(servers.plain(""), new RecordingListener()));
        Fleet.until(() -> origin.running() == 1);
        servers.forgetLeaseOnTheStore("redlock:k");

        Callers.Call<String> second = get(cache(servers.plain(""), others));

        Fleet.until(() -> origin.running() == 2);
        origin.open();
        assertThat(first.result()).isEqualTo("one");
        assertThat(second.result()).isEqualTo("one");
    }

    @Test
    void withLockServersTheSecondLoadBeginsWhenTheFirstHasEnded() throws Exception {
        RecordingListener holders = new RecordingListener();
        origin.close();
        Callers.Call<String> first = get(cache(servers.leases(), holders));
        Fleet.until(() -> origin.running() == 1);
        servers.forgetLeaseOnTheStore("redlock:k");

        Callers.Call<String> second = get(cache(servers.leases(), others));
        Fleet.until(() -> others.count(EventType.LEASE_HELD) >= 3);
        origin.open();

        assertThat(first.result()).isEqualTo("one");
        assertThat(second.result()).isEqualTo("one");
        assertThat(origin.mostAtOnce()).isEqualTo(1);
        assertThat(origin.reads()).isEqualTo(2);
        assertThat(holders.count(EventType.LOAD_FENCED)).isEqualTo(1);
        assertThat(others.count(EventType.LOAD_STORED)).isEqualTo(1);
        assertThat(servers.leftBehind("redlock:k")).isZero();
    }

    @Test
    void aDeletionThatAFailoverForgetsStaysForgotten() {
        StampedeGuardedCache<String, String> cache = cache(servers.leases(), others);
        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        byte[] value = new RedisKeys("").value("redlock:k");
        try (RedisClient client = PlainRedis.client(servers.values().uri())) {
            byte[] onTheReplica = client.get(value);
            origin.write("two");
            cache.invalidate("k");

            client.set(value, onTheReplica, SetParams.setParams().px(60_000));

            assertThat(cache.get("k", origin::read))
                    .as("what becomes the master has it")
                    .isEqualTo("one");
        }
    }

    @Test
    void withoutAMajorityTheFleetLoadsOnceAndNoGetFails() throws Exception {
        servers.server(0).kill();
        servers.server(1).kill();
        RecordingListener holders = new RecordingListener();
        origin.close();
        Callers.Call<String> first = get(cache(servers.leases(), holders));
        Fleet.until(() -> origin.running() == 1);
        StampedeGuardedCache<String, String> other = cache(servers.leases(), others);
        Callers.Call<String> second = get(other);
        Fleet.until(() -> others.count(EventType.LEASE_HELD) >= 1);
        origin.open();

        assertThat(first.result()).isEqualTo("one");
        assertThat(second.result()).isEqualTo("one");
        assertThat(other.get("k", origin::read)).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);
        assertThat(holders.count(EventType.LOAD_STORED)).isEqualTo(1);
        assertThat(holders.faults()).as("no fault of the store of the values").isEmpty();
    }

    @Test
    void withNoServerAtAllTheProcessKeepsWhatItLoads() {
        StampedeGuardedCache<String, String> cache = cache(servers.leases(), others);
        servers.values().kill();
        for (int server = 0; server < 3; server++) {
            servers.server(server).kill();
        }

        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        assertThat(cache.get("k", origin::read)).isEqualTo("one");
        assertThat(origin.reads()).isEqualTo(1);
    }

    @Test
    void callerThatIsInterruptedWhileTheServersVoteLeavesNothingBehind() throws Exception {
        RedlockStore patient =
                servers.leases(servers.plain(""), new PatientTime(Duration.ZERO), LockServerProcesses.TIMEOUT);
        servers.server(0).pause();
        Callers.Call<String> call = get(cache(patient, others));
        Fleet.until(() -> servers.lease(servers.server(1), "redlock:k") != null
                && servers.lease(servers.server(2), "redlock:k") != null);

        call.interrupt();

        assertThat(call.failure()).isInstanceOf(WaitInterruptedException.class);
        servers.server(0).resume();
        Fleet.until(() -> servers.leftBehind("redlock:k") == 0);
        assertThat(origin.reads()).isZero();
    }

    private StampedeGuardedCache<String, String> cache(CacheStore store, RecordingListener listener) {
        StampedeGuardedCache<String, String> cache =
                textCache("redlock", store).policy(POLICY).listener(listener).build();
        caches.add(cache);
        return cache;
    }

    private Callers.Call<String> get(StampedeGuardedCache<String, String> cache) {
        return callers.call(() -> cache.get("k", origin::read));
    }
}
