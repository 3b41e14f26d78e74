package io.stampedeguard.redis.internal.combine;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link WaiterLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class WaiterLincheckProofTest extends WaiterLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
