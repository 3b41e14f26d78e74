package io.stampedeguard.filter.bloom;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link LocalKeyFilterLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class LocalKeyFilterLincheckProofTest extends LocalKeyFilterLincheckTest {
    @Override
    int schedules() {
        return 4_000;
    }
}
