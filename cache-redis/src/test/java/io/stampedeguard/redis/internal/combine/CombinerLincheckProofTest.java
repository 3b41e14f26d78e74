package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link CombinerLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class CombinerLincheckProofTest extends CombinerLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
