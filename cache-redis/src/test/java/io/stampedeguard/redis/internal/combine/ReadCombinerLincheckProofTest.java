package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link ReadCombinerLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class ReadCombinerLincheckProofTest extends ReadCombinerLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
