package io.stampedeguard.redis.internal.combine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The promises of {@link ReadCombinerLincheckTest}, in many more schedules. */
@Tag("proof")
@Isolated("Lincheck instruments the classes of the whole JVM")
final class ReadCombinerLincheckProofTest extends ReadCombinerLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
