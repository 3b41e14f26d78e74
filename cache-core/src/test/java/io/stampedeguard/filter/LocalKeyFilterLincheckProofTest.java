package io.stampedeguard.filter;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The promises of {@link LocalKeyFilterLincheckTest}, in many more schedules. */
@Tag("proof")
@Isolated("Lincheck instruments the classes of the whole JVM")
final class LocalKeyFilterLincheckProofTest extends LocalKeyFilterLincheckTest {
    @Override
    int schedules() {
        return 4_000;
    }
}
