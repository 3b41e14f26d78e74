package io.stampedeguard.internal.near;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link NearCacheLincheckTest}, in many more schedules. */
@Tag("proof")
@ExploresSchedules
final class NearCacheLincheckProofTest extends NearCacheLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
