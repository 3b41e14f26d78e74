package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.FleetMember;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure applies to the fleet: during the cool-down no process loads the key again, and no caller waits for it. */
final class FailingLoaderTest {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** Redis counts in whole milliseconds. */
    private static final long ROUNDING_MICROS = 2_000;

    private static final int CALLERS = 8;
    private static final int CALLS = 40;

    /**
     * A caller that waited for the next load, instead of being answered at once, would get the result of that load each
     * time.
     */
    @Test
    void failingLoaderRunsOncePerCoolDownAndDelaysNoCaller() throws InterruptedException {
        try (CacheFleet fleet = new CacheFleet(
                4,
                SharedRedis.uri(),
                CacheFleet.policy(Duration.ofSeconds(30), Duration.ofSeconds(60), 32)
                        .with("coolDownMillis", FIRST.toMillis()))) {
            fleet.order(
                    fleet.everybody(),
                    CacheFleet.keepGetting("fails", CALLERS, 100, CALLS, Duration.ofMillis(50))
                            .with("load", "fails"));
            long toldOfLoads = 0;
            for (FleetMember member : fleet.everybody()) {
                CacheFleet.Kept kept = fleet.keptBy(member);
                assertThat(kept.answers()).isSubsetOf("LoadException", "RecentLoadFailureException");
                assertThat(kept.calls()).isEqualTo(CALLERS * CALLS);
                toldOfLoads += kept.counts().getOrDefault("LoadException", 0L);
            }
            List<Long> loads = fleet.loadInstants("fails");
            assertOneLoadInEachCoolDown(loads, fleet.failureInstants("fails"));
            assertThat(toldOfLoads).isLessThanOrEqualTo((long) CALLERS * loads.size());
        }
    }

    private static void assertOneLoadInEachCoolDown(List<Long> begins, List<Long> failures) {
        assertThat(begins).as("it is tried again, now and then").hasSizeGreaterThan(2);
        assertThat(failures).hasSameSizeAs(begins);
        for (int i = 1; i < begins.size(); i++) {
            long coolDownMicros = Math.min(FIRST.toMillis() << (i - 1), LONGEST.toMillis()) * 1_000;
            assertThat(begins.get(i) - failures.get(i - 1))
                    .as("µs from failure %d to the next load", i)
                    .isGreaterThanOrEqualTo(coolDownMicros - ROUNDING_MICROS);
        }
    }
}
