package io.stampedeguard.redis;

import static io.stampedeguard.redis.Topologies.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** What an operator may do to a Redis server during a wait costs a fleet neither an answer nor a second load. */
final class DisturbedRedisTest {
    /** Renewed after a third of it, so that a machine may stall for the rest. */
    private static final Duration LEASE = Duration.ofSeconds(9);

    private static final Duration SHORT_LEASE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** In each process that waits. */
    private static final int CALLERS = 16;

    private final RedisProcess redis = RedisServer.startProcess();
    private CacheFleet fleet;

    private void open(Message policy) throws InterruptedException {
        fleet = new CacheFleet(3, redis.uri(), policy);
    }

    @AfterEach
    void close() {
        fleet.close();
        redis.close();
    }

    @Test
    void subscribersKilledInMidWaitGetTheValueAllTheSame() throws InterruptedException {
        open(CacheFleet.policy(LEASE, WAIT, 32));
        beginToLoadAndWait("killed", "gated", 0);
        for (int time = 0; time < 3; time++) {
            Fleet.until(() -> ask(
                            redis,
                            admin -> admin.clientKill(
                                    ClientKillParams.clientKillParams().type(ClientType.PUBSUB)))
                    > 0);
        }

        assertOneLoadForAll("killed");
    }

    @Test
    void scriptsFlushedInMidLoadAreThereWhenTheyAreNeeded() throws InterruptedException {
        open(CacheFleet.policy(LEASE, WAIT, 32));
        beginToLoadAndWait("flushed", "gated", 0);
        ask(redis, Jedis::scriptFlush);
        fleet.awaitRenewals(List.of("flushed"));
        ask(redis, Jedis::scriptFlush);

        assertOneLoadForAll("flushed");
    }

    @Test
    void pausesShorterThanATimeoutCostTime() throws InterruptedException {
        open(CacheFleet.policy(LEASE, WAIT, 32));
        beginToLoadAndWait("paused", "gated", 0);
        ask(redis, admin -> admin.clientPause(400));
        fleet.awaitRenewals(List.of("paused"));
        ask(redis, admin -> admin.clientPause(400));

        assertOneLoadForAll("paused");
    }

    /** P6: longer than the command timeout and the lease, so that processes cannot communicate. */
    @Test
    void pauseBeyondTimeoutAndLeaseCostsOnlyOneLoadPerProcess() throws InterruptedException {
        open(CacheFleet.policy(SHORT_LEASE, WAIT, 32).with("timeoutMillis", TIMEOUT.toMillis()));
        beginToLoadAndWait("long pause", "gated", 0);
        for (int other = 1; other <= 2; other++) {
            fleet.awaitWaiting(fleet.member(other), CALLERS); // one that comes after the pause may load again
        }
        ask(redis, admin -> admin.clientPause(SHORT_LEASE.toMillis() + 1_000));
        fleet.openGate("long pause");
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("row");
        }
        assertThat(fleet.loads("long pause")).isBetween(1L, 3L);

        fleet.get(fleet.everybody(), "after", 8, 10);
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("null");
        }
    }

    private void assertOneLoadForAll(String key) throws InterruptedException {
        fleet.openGate(key);
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("row");
        }
        fleet.get(fleet.everybody(), key, 8, 0);
        for (CacheFleet.Got hit : fleet.gotByAll()) {
            assertThat(hit.answers()).containsOnly("row");
        }
        assertThat(fleet.loads(key)).isEqualTo(1);
    }

    private void beginToLoadAndWait(String key, String load, long loadMillis) throws InterruptedException {
        fleet.write(key, "row");
        Message leader = CacheFleet.get(key, 1, loadMillis).with("load", load);
        fleet.order(List.of(fleet.member(0)), leader);
        fleet.awaitLoads(key, 1);
        fleet.order(List.of(fleet.member(1), fleet.member(2)), leader.with("callers", CALLERS));
    }
}
