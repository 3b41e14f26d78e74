package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure is the fleet's: while the key cools down nobody loads it again, and nobody waits for it. */
final class FailingLoaderTest {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** Redis counts in whole milliseconds. */
    private static final long ROUNDING_MICROS = 2_000;

    @Test
    void failingLoaderIsCalledOnceInEachCoolDownOfTheFleetAndItsCallersAreAnsweredAtOnce() throws InterruptedException {
        try (CacheFleet fleet = new CacheFleet(
                4,
                SharedRedis.uri(),
                CacheFleet.policy(Duration.ofSeconds(2), Duration.ofSeconds(10), 32)
                        .with("coolDownMillis", FIRST.toMillis())
                        .with("longestCoolDownMillis", LONGEST.toMillis()))) {
            Duration length = Duration.ofSeconds(5);
            fleet.order(
                    fleet.everybody(),
                    CacheFleet.keepGetting("fails", 64, 100, length, Duration.ofMillis(50))
                            .with("load", "fails"));

            for (FleetMember member : fleet.everybody()) {
                CacheFleet.Kept kept = fleet.keptBy(member);
                assertThat(kept.answers()).isSubsetOf("LoadException", "RecentLoadFailureException");
                assertThat(kept.calls()).isGreaterThan(64);
                // Half of the calls: the bound for each is the benchmark's affair, on a machine with nothing else to
                // do.
                assertThat(kept.medianLateMicros()).isLessThan(50_000);
            }
            assertOneLoadInEachCoolDown(fleet.loadInstants("fails"), fleet.failureInstants("fails"));
        }
    }

    private static void assertOneLoadInEachCoolDown(List<Long> begins, List<Long> failures) {
        assertThat(begins).as("it is tried again, now and then").hasSizeBetween(3, 6);
        assertThat(failures).hasSameSizeAs(begins);
        for (int i = 1; i < begins.size(); i++) {
            long coolDownMicros = Math.min(FIRST.toMillis() << (i - 1), LONGEST.toMillis()) * 1_000;
            assertThat(begins.get(i) - failures.get(i - 1))
                    .as("µs from failure %d to the next load", i)
                    .isGreaterThanOrEqualTo(coolDownMicros - ROUNDING_MICROS);
        }
    }
}
