package io.stampedeguard.loader;

import io.stampedeguard.testkit.ExploresSchedules;
import org.junit.jupiter.api.Tag;

/** The promises of {@link GatheringLoaderLincheckTest}, in ten times as many schedules. */
@Tag("proof")
@ExploresSchedules
final class GatheringLoaderLincheckProofTest extends GatheringLoaderLincheckTest {
    @Override
    int schedules() {
        return 200;
    }
}
