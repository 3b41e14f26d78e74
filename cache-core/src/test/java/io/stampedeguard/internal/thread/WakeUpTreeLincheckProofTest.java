package io.stampedeguard.internal.thread;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link WakeUpTreeLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class WakeUpTreeLincheckProofTest extends WakeUpTreeLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
