package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.WallClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A load may be longer than its lease: it is one load for the fleet, it is stored, and later reads are hits. */
final class LongLoadTest {
    @Test
    void loadThatOutlastsItsLeaseIsOneLoadAndIsStored() throws InterruptedException {
        isOneLoadAndStored(900, 2_500);
    }

    @Tag("proof")
    @ParameterizedTest
    @CsvSource({"300, 1000", "200, 3000"})
    void loadThatOutlastsAShortLeaseIsOneLoadAndIsStored(long leaseMillis, long loadMillis)
            throws InterruptedException {
        isOneLoadAndStored(leaseMillis, loadMillis);
    }

    @Tag("chaos")
    @ParameterizedTest
    @CsvSource({"3000, 5000", "1000, 20000"})
    void longLoadThatOutlastsItsLeaseIsOneLoadAndStored(long leaseMillis, long loadMillis) throws InterruptedException {
        isOneLoadAndStored(leaseMillis, loadMillis);
    }

    private static void isOneLoadAndStored(long leaseMillis, long loadMillis) throws InterruptedException {
        Duration lease = Duration.ofMillis(leaseMillis);
        Duration wait = Duration.ofSeconds(60);
        try (CacheFleet fleet = new CacheFleet(4, SharedRedis.uri(), CacheFleet.policy(lease, wait, 32))) {
            fleet.write("long", "row");
            long began = WallClock.micros();
            fleet.get(fleet.everybody(), "long", 8, loadMillis);
            comeLate(fleet, loadMillis);
            for (FleetMember member : fleet.everybody()) {
                assertThat(fleet.gotBy(member).answers()).containsOnly("row");
                assertThat(fleet.gotBy(member).answers()).containsOnly("row");
            }

            fleet.get(fleet.everybody(), "long", 8, loadMillis);

            for (CacheFleet.Got hit : fleet.gotByAll()) {
                assertThat(hit.answers()).containsOnly("row");
            }
            assertThat(fleet.loads("long"))
                    .as("loads; one, where nothing stalled")
                    .isBetween(1L, 1 + lostForWantOfTime(fleet, lease, began));
        }
    }

    /**
     * Returns how many leases may have been lost since an instant because the process that stalled most, or Redis, did
     * so for half of a lease: renewal is due after a third, and has two thirds left.
     */
    private static long lostForWantOfTime(CacheFleet fleet, Duration lease, long since) throws InterruptedException {
        long most = 0;
        for (FleetMember member : fleet.everybody()) {
            most = Math.max(most, fleet.stalls(member).lengthsMicros(since).sum());
        }
        return most / (lease.toMillis() * 1_000 / 2);
    }

    /** More callers in each process, at a time when the lease would have ended without renewal. */
    private static void comeLate(CacheFleet fleet, long loadMillis) throws InterruptedException {
        fleet.awaitLoads("long", 1);
        List<Long> loads = fleet.loadInstants("long");
        WallClock.awaitMicros(loads.get(0) + loadMillis * 800);
        fleet.get(fleet.everybody(), "long", 4, loadMillis);
    }
}
