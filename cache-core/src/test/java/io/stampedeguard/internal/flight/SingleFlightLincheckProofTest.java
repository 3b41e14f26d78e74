package io.stampedeguard.internal.flight;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The promises of {@link SingleFlightLincheckTest}, in many more schedules. */
@Tag("proof")
@Isolated("Lincheck instruments the classes of the whole JVM")
final class SingleFlightLincheckProofTest extends SingleFlightLincheckTest {
    @Override
    int schedules() {
        return 2_000;
    }
}
