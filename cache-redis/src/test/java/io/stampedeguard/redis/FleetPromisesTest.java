package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The promises that speak of a fleet, kept by real processes on a real Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FleetPromisesTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(10);

    private CacheFleet fleet;

    @BeforeAll
    void start() throws InterruptedException {
        fleet = new CacheFleet(4, SharedRedis.uri(), CacheFleet.policy(LEASE, WAIT, 32));
    }

    @AfterAll
    void close() {
        fleet.close();
    }

    /** P1. */
    @Test
    void coldKeyIsLoadedOnceForFourProcessesOfSixtyFourCallers() throws InterruptedException {
        for (int round = 0; round < 5; round++) {
            String key = "cold" + round;
            fleet.write(key, "row");
            fleet.get(fleet.everybody(), key, 64, 100);
            for (CacheFleet.Got got : fleet.gotByAll()) {
                assertThat(got.answers()).hasSize(64).containsOnly("row");
            }
            assertThat(fleet.loads(key)).isEqualTo(1);
        }
    }

    /** P1, where its exception begins: a process that stood still past its lease. */
    @Test
    void whatAStoppedLeaderBringsIsNotStored() throws InterruptedException {
        fleet.write("stopped", "old");
        FleetMember leader = fleet.member(0);
        fleet.get(List.of(leader), "stopped", 1, 100);
        fleet.awaitLoads("stopped", 1);
        leader.stop();
        try {
            fleet.write("stopped", "new");
            fleet.get(List.of(fleet.member(1)), "stopped", 4, 10);
            assertThat(fleet.gotBy(fleet.member(1)).answers()).containsOnly("new");
        } finally {
            leader.cont();
        }

        assertThat(fleet.gotBy(leader).answers())
                .as("its own caller came before")
                .containsExactly("old");
        fleet.get(fleet.everybody(), "stopped", 8, 10);
        for (CacheFleet.Got got : fleet.gotByAll()) {
            assertThat(got.answers()).containsOnly("new");
        }
        assertThat(fleet.loads("stopped")).isEqualTo(2);
    }

    /** P2. */
    @Test
    void lateWriterAfterAnInvalidationAnswersNobodyWhoComesLater() throws InterruptedException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            String key = "late" + round;
            fleet.write(key, "old");
            FleetMember writer = fleet.member(round % 4);
            FleetMember changer = fleet.member((round + 1) % 4);
            fleet.get(List.of(writer), key, 4, 50);
            fleet.awaitLoads(key, 1);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(40));

            fleet.change(changer, key, "new");
            // More callers in the very process whose old load is still under way, and in the one that changed the row.
            fleet.get(List.of(changer), key, 8, 20);
            assertThat(fleet.gotBy(changer).answers())
                    .as("seed %d, round %d", seed, round)
                    .containsOnly("new");
            fleet.gotBy(writer);
            fleet.get(fleet.everybody(), key, 4, 0);
            for (CacheFleet.Got got : fleet.gotByAll()) {
                assertThat(got.answers()).as("seed %d, round %d", seed, round).containsOnly("new");
            }
        }
    }

    /** P2, in the process whose old load is still under way. */
    @Test
    void callersInTheLateWritersProcessDoNotGetItsOldValue() throws InterruptedException {
        for (int round = 0; round < 10; round++) {
            String key = "joined" + round;
            fleet.write(key, "old");
            FleetMember writer = fleet.member(0);
            fleet.get(List.of(writer), key, 1, 150);
            fleet.awaitLoads(key, 1);
            fleet.change(fleet.member(1), key, "new");

            fleet.get(List.of(writer), key, 16, 0);

            List<CacheFleet.Got> both = List.of(fleet.gotBy(writer), fleet.gotBy(writer));
            CacheFleet.Got late = both.get(0).answers().size() == 1 ? both.get(0) : both.get(1);
            CacheFleet.Got after = late == both.get(0) ? both.get(1) : both.get(0);
            assertThat(late.answers()).containsExactly("old");
            assertThat(after.answers()).hasSize(16).containsOnly("new");
        }
    }

    /** P4. */
    @Test
    void killedLeaderIsSucceededOnceItsLeaseIsOver() throws InterruptedException {
        try (CacheFleet mortal = new CacheFleet(3, SharedRedis.uri(), CacheFleet.policy(LEASE, WAIT, 32))) {
            mortal.write("killed", "row");
            mortal.get(List.of(mortal.member(0)), "killed", 1, 1_500);
            mortal.awaitLoads("killed", 1);
            List<FleetMember> others = List.of(mortal.member(1), mortal.member(2));
            mortal.get(others, "killed", 4, 0);
            mortal.member(0).kill();

            for (FleetMember other : others) {
                CacheFleet.Got got = mortal.gotBy(other);
                assertThat(got.answers()).containsOnly("row");
                assertThat(got.slowestMillis()).isLessThan(LEASE.toMillis() + 1_000);
            }
            assertThat(mortal.loads("killed")).isEqualTo(2);
        }
    }

    /** P3. */
    @Test
    void whoWaitsNeitherLoadsNorWaitsLongerThanTheWaitTimeout() throws InterruptedException {
        Duration shortWait = Duration.ofMillis(300);
        Duration longLease = Duration.ofSeconds(10);
        try (CacheFleet hasty = new CacheFleet(2, SharedRedis.uri(), CacheFleet.policy(longLease, shortWait, 32))) {
            hasty.write("slow", "row");
            hasty.get(List.of(hasty.member(0)), "slow", 1, 2_000);
            hasty.awaitLoads("slow", 1);

            hasty.get(List.of(hasty.member(1)), "slow", 32, 0);

            CacheFleet.Got waited = hasty.gotBy(hasty.member(1));
            assertThat(waited.answers()).containsOnly("WaitTimeoutException");
            assertThat(waited.slowestMillis()).isBetween(290L, 1_300L);
            assertThat(hasty.gotBy(hasty.member(0)).answers()).containsExactly("row");
            assertThat(hasty.loads("slow")).isEqualTo(1);
        }
    }
}
