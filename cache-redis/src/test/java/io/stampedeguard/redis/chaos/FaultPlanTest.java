package io.stampedeguard.redis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.chaos.FaultPlan.Planned;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FaultPlanTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void equalSeedsMakeEqualPlans() {
        assertThat(FaultPlan.of(7, MINUTE, 4)).isEqualTo(FaultPlan.of(7, MINUTE, 4));
        assertThat(FaultPlan.of(7, MINUTE, 4)).isNotEqualTo(FaultPlan.of(8, MINUTE, 4));
    }

    @Test
    void eachFaultOccursOnceAndNoneOverlapsAnother() {
        long seed = new Random().nextLong();
        for (Duration length : List.of(MINUTE, Duration.ofSeconds(20))) {
            List<Planned> faults = FaultPlan.of(seed, length, 4).faults();

            assertThat(faults).as("seed %d", seed).extracting(Planned::fault).containsExactlyInAnyOrder(Fault.values());
            Duration free = length.dividedBy(20);
            for (Planned planned : faults) {
                assertThat(planned.begin()).as("seed %d: %s", seed, planned).isGreaterThan(free);
                assertThat(planned.process()).isBetween(0, 3);
                free = planned.end();
            }
            assertThat(free)
                    .as("seed %d: time to recover", seed)
                    .isLessThan(length.multipliedBy(9).dividedBy(10));
        }
    }

    @Test
    void faultsOfARunOfAMinuteHaveTheirFullLength() {
        assertThat(FaultPlan.of(1, MINUTE, 4).faults())
                .allMatch(planned -> planned.end()
                        .minus(planned.begin())
                        .equals(planned.fault().length()));
    }
}
