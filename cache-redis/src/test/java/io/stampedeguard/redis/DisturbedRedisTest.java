package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** What an operator may do to a Redis server in mid-wait costs a fleet neither an answer nor a second load. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DisturbedRedisTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final long LOAD_MILLIS = 1_500;

    private final RedisProcess redis = RedisServer.startProcess();
    private CacheFleet fleet;

    /** Something done to the server. */
    private interface Disturbance {
        void by(Jedis admin);
    }

    @BeforeAll
    void start() throws InterruptedException {
        fleet = new CacheFleet(3, redis.uri(), CacheFleet.policy(LEASE, WAIT, 32));
    }

    @AfterAll
    void close() {
        fleet.close();
        redis.close();
    }

    @Test
    void subscribersKilledInMidWaitGetTheValueAllTheSame() throws InterruptedException {
        AtomicLong killed = new AtomicLong();

        assertOneLoadForAll(
                "killed",
                List.of(300L, 900L, 1_450L),
                admin -> killed.addAndGet(
                        admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB))));

        assertThat(killed).as("subscribers killed").hasPositiveValue();
    }

    @Test
    void scriptsFlushedInMidLoadAreThereWhenTheyAreNeeded() throws InterruptedException {
        assertOneLoadForAll("flushed", List.of(0L, 400L, 800L, 1_200L), Jedis::scriptFlush);
    }

    @Test
    void pausesShorterThanATimeoutCostTime() throws InterruptedException {
        assertOneLoadForAll("paused", List.of(300L, 1_400L), admin -> admin.clientPause(400));
    }

    /** P6: longer than the command timeout and the lease, so that no process hears of any other. */
    @Test
    void pauseLongerThanTimeoutAndLeaseCostsALoadInEachProcessAndNoAnswer() throws InterruptedException {
        beginToLoadAndWait("long pause");
        admin(admin -> admin.clientPause(LEASE.toMillis() + 1_000));
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("row");
        }
        assertThat(fleet.loads("long pause")).isBetween(1L, 3L);

        fleet.get(fleet.everybody(), "after", 8, 10);
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("null");
        }
    }

    private void assertOneLoadForAll(String key, List<Long> afterMillis, Disturbance disturbance)
            throws InterruptedException {
        beginToLoadAndWait(key);
        long began = fleet.loadInstants(key).get(0);
        for (long millis : afterMillis) {
            WallClock.awaitMicros(began + millis * 1_000);
            admin(disturbance);
        }

        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("row");
            assertThat(got.slowestMillis()).isLessThan(LOAD_MILLIS + 2_000);
        }
        fleet.get(fleet.everybody(), key, 8, LOAD_MILLIS);
        for (CacheFleet.Got hit : fleet.gotByAll()) {
            assertThat(hit.answers()).containsOnly("row");
        }
        assertThat(fleet.loads(key)).isEqualTo(1);
    }

    private void beginToLoadAndWait(String key) throws InterruptedException {
        fleet.write(key, "row");
        FleetMember leader = fleet.member(0);
        fleet.get(List.of(leader), key, 1, LOAD_MILLIS);
        fleet.awaitLoads(key, 1);
        fleet.get(List.of(fleet.member(1), fleet.member(2)), key, 16, LOAD_MILLIS);
    }

    private void admin(Disturbance disturbance) {
        try (Jedis admin = new Jedis(redis.host(), redis.port())) {
            disturbance.by(admin);
        }
    }
}
