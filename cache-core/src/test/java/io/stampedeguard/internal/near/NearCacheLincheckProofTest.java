package io.stampedeguard.internal.near;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The promises of {@link NearCacheLincheckTest}, in many more schedules. */
@Tag("proof")
@Isolated("Lincheck instruments the classes of the whole JVM")
final class NearCacheLincheckProofTest extends NearCacheLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
