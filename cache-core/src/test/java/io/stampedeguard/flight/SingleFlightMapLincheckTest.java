package io.stampedeguard.flight;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** The map of flights is linearizable: who joins leads, until the flight is taken off the map. */
public final class SingleFlightMapLincheckTest {
    private static final String KEY = "key";

    private final SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);

    @Test
    void isLinearizable() {
        new ModelCheckingOptions()
                .iterations(8)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(2)
                .check(SingleFlightMapLincheckTest.class);
    }

    @Operation
    public boolean joinAndStay() {
        return flights.join(KEY).leads();
    }

    @Operation
    public void forget() {
        flights.forget(KEY);
    }
}
