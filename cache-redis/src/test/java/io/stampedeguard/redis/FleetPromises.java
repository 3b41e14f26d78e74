package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The promises about a fleet, tested with real processes on a real Redis, under different circumstances. */
abstract class FleetPromises {
    /** Longer than any machine stalls: no lease ends unless a test ends it. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration WAIT = Duration.ofSeconds(60);

    private final int rounds;

    @AutoClose
    private CacheFleet fleet;

    /** Repeats parts that depend on chance this many times. */
    FleetPromises(int rounds) {
        this.rounds = rounds;
    }

    /** Adds the circumstances to the members' configuration. */
    abstract Message under(Message policy);

    private void open(int size, Duration lease, Duration wait) throws InterruptedException {
        fleet = new CacheFleet(size, SharedRedis.uri(), under(CacheFleet.policy(lease, wait, 32)));
    }

    /** P1. */
    @Test
    void coldKeyIsLoadedOnceForFourProcessesOfSixtyFourCallers() throws InterruptedException {
        open(4, LEASE, WAIT);
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

    /** P1, at its exception: a process that stalled beyond its lease. */
    @Test
    void whatAStoppedLeaderBringsIsRefusedAndReadByNobody() throws InterruptedException {
        open(4, LEASE, WAIT);
        fleet.write("stopped", "old");
        FleetMember leader = fleet.member(0);
        fleet.order(List.of(leader), CacheFleet.get("stopped", 1, 0).with("load", "gated"));
        fleet.awaitLoads("stopped", 1);
        leader.stop();
        try {
            fleet.endLease("stopped", fleet.holder("stopped"));
            fleet.write("stopped", "new");
            fleet.get(List.of(fleet.member(1)), "stopped", 4, 10);
            assertThat(fleet.gotBy(fleet.member(1)).answers()).containsOnly("new");
            // Callers keep reading while the leader continues; callers of its own process come at that moment.
            fleet.order(
                    fleet.everybody(),
                    CacheFleet.keepGetting("stopped", 8, 10, Integer.MAX_VALUE, Duration.ofMillis(2)));
            fleet.openGate("stopped");
        } finally {
            leader.cont();
        }

        assertThat(fleet.gotBy(leader).answers())
                .as("its own caller came before")
                .containsExactly("old");
        fleet.get(List.of(leader), "stopped", 8, 10);
        assertThat(fleet.gotBy(leader).answers()).containsOnly("new");
        fleet.enough();
        for (FleetMember member : fleet.everybody()) {
            assertThat(fleet.keptBy(member).answers()).containsExactly("new");
        }
        assertThat(fleet.loads("stopped")).isEqualTo(2);
        assertThat(fleet.events(leader, EventType.LOAD_FENCED)).isPositive();
    }

    /** P2. */
    @Test
    void lateWriterAfterAnInvalidationAnswersNobodyWhoComesLater() throws InterruptedException {
        open(4, LEASE, WAIT);
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
            // More callers in the process whose old load is still running, and in the one that changed the row.
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

    /** P2, in the process whose old load is still running. */
    @Test
    void callersInTheLateWritersProcessDoNotGetItsOldValue() throws InterruptedException {
        open(2, LEASE, WAIT);
        for (int round = 0; round < Math.max(1, rounds / 4); round++) {
            String key = "joined" + round;
            fleet.write(key, "old");
            FleetMember writer = fleet.member(0);
            fleet.order(List.of(writer), CacheFleet.get(key, 1, 0).with("load", "gated"));
            fleet.awaitLoads(key, 1);
            fleet.change(fleet.member(1), key, "new");

            fleet.get(List.of(writer), key, 16, 0);
            TimeUnit.MILLISECONDS.sleep(50); // so that some find the old load running
            fleet.openGate(key);

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
        // Short enough for the lease to be renewed soon: its end counts, not its beginning.
        Duration lease = Duration.ofSeconds(9);
        open(3, lease, WAIT);
        fleet.write("killed", "row");
        fleet.order(List.of(fleet.member(0)), CacheFleet.get("killed", 1, 0).with("load", "gated"));
        fleet.awaitLoads("killed", 1);
        List<FleetMember> others = List.of(fleet.member(1), fleet.member(2));
        fleet.get(others, "killed", 4, 10);
        fleet.awaitRenewals(List.of("killed"));
        byte[] holder = fleet.holder("killed");
        fleet.member(0).kill();

        fleet.endLease("killed", holder).ifPresent(ended -> {
            assertThat(ended.millisLeft())
                    .as("ms until the lease ends by itself")
                    .isBetween(1L, lease.toMillis());
            assertThat(ended.loads()).as("loads while the lease lives").isEqualTo(1);
        });

        for (FleetMember other : others) {
            assertThat(fleet.gotBy(other).answers()).containsOnly("row");
        }
        assertThat(fleet.loads("killed")).isEqualTo(2);
    }

    /** P3. */
    @Test
    void whoWaitsNeitherLoadsNorWaitsLongerThanTheWaitTimeout() throws InterruptedException {
        Duration shortWait = Duration.ofMillis(300);
        open(2, LEASE, shortWait);
        fleet.write("slow", "row");
        fleet.order(List.of(fleet.member(0)), CacheFleet.get("slow", 1, 0).with("load", "gated"));
        fleet.awaitLoads("slow", 1);

        fleet.get(List.of(fleet.member(1)), "slow", 32, 0);

        CacheFleet.Got waited = fleet.gotBy(fleet.member(1));
        assertThat(waited.answers()).hasSize(32).containsOnly("WaitTimeoutException");
        fleet.openGate("slow");
        assertThat(fleet.gotBy(fleet.member(0)).answers()).containsExactly("row");
        assertThat(fleet.loads("slow")).isEqualTo(1);
    }
}
