package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The promises that speak of a fleet, kept by real processes on a real Redis, under circumstances. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FleetPromises {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final int rounds;
    private CacheFleet fleet;

    /** Repeats what is left to chance so many times. */
    FleetPromises(int rounds) {
        this.rounds = rounds;
    }

    /** Adds the circumstances to what the members are told. */
    abstract Message under(Message policy);

    @BeforeAll
    void start() throws InterruptedException {
        fleet = fleetOf(4, LEASE, WAIT);
    }

    private CacheFleet fleetOf(int size, Duration lease, Duration wait) throws InterruptedException {
        return new CacheFleet(size, SharedRedis.uri(), under(CacheFleet.policy(lease, wait, 32)));
    }

    @AfterAll
    void close() {
        fleet.close();
    }

    /** P1. */
    @Test
    void coldKeyIsLoadedOnceForFourProcessesOfSixtyFourCallers() throws InterruptedException {
        for (int round = 0; round < Math.max(1, rounds / 8); round++) {
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
    void whatAStoppedLeaderBringsIsRefusedAndReadByNobody() throws InterruptedException {
        fleet.write("stopped", "old");
        FleetMember leader = fleet.member(0);
        fleet.get(List.of(leader), "stopped", 1, 100);
        fleet.awaitLoads("stopped", 1);
        leader.stop();
        try {
            fleet.write("stopped", "new");
            fleet.get(List.of(fleet.member(1)), "stopped", 4, 10);
            assertThat(fleet.gotBy(fleet.member(1)).answers()).containsOnly("new");
            // Everybody reads on while the leader goes on; callers of its own come the moment it does.
            fleet.order(
                    fleet.everybody(),
                    CacheFleet.keepGetting("stopped", 8, 10, Duration.ofSeconds(1), Duration.ofMillis(1)));
        } finally {
            leader.cont();
        }

        assertThat(fleet.gotBy(leader).answers())
                .as("its own caller came before")
                .containsExactly("old");
        fleet.get(List.of(leader), "stopped", 8, 10);
        assertThat(fleet.gotBy(leader).answers()).containsOnly("new");
        for (FleetMember member : fleet.everybody()) {
            assertThat(fleet.keptBy(member).answers()).containsExactly("new");
        }
        assertThat(fleet.loads("stopped")).isEqualTo(2);
        assertThat(fleet.events(leader, LoadOutcome.REFUSED)).isPositive();
    }

    /** P2. */
    @Test
    void lateWriterAfterAnInvalidationAnswersNobodyWhoComesLater() throws InterruptedException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
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
        for (int round = 0; round < Math.max(1, rounds / 4); round++) {
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
        long loadMillis = 2_000;
        try (CacheFleet mortal = fleetOf(3, LEASE, WAIT)) {
            mortal.write("killed", "row");
            mortal.get(List.of(mortal.member(0)), "killed", 1, loadMillis);
            mortal.awaitLoads("killed", 1);
            List<FleetMember> others = List.of(mortal.member(1), mortal.member(2));
            mortal.get(others, "killed", 4, loadMillis);
            // Late enough for the lease to have been renewed: what counts is its end, not its beginning.
            WallClock.awaitMicros(mortal.loadInstants("killed").get(0) + loadMillis * 1_000 / 2);
            long killed = WallClock.micros();
            mortal.member(0).kill();

            for (FleetMember other : others) {
                assertThat(mortal.gotBy(other).answers()).containsOnly("row");
            }
            List<Long> loads = mortal.loadInstants("killed");
            assertThat(loads).hasSize(2);
            assertThat((loads.get(1) - killed) / 1_000)
                    .as("ms from the kill to the next load")
                    .isLessThanOrEqualTo(LEASE.toMillis() + 250 + stoodStillMillis(mortal, others, killed));
        }
    }

    /** While nothing moves on the machine, nobody can succeed anybody. */
    private static long stoodStillMillis(CacheFleet fleet, List<FleetMember> members, long since)
            throws InterruptedException {
        long most = 0;
        for (FleetMember member : members) {
            LongStream longOnes = fleet.standstills(member).lengthsMicros(since).filter(micros -> micros >= 40_000);
            most = Math.max(most, longOnes.sum() / 1_000);
        }
        return most;
    }

    /** P3. */
    @Test
    void whoWaitsNeitherLoadsNorWaitsLongerThanTheWaitTimeout() throws InterruptedException {
        Duration shortWait = Duration.ofMillis(300);
        Duration longLease = Duration.ofSeconds(10);
        try (CacheFleet hasty = fleetOf(2, longLease, shortWait)) {
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
