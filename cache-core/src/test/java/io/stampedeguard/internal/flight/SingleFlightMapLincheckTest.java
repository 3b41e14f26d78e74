package io.stampedeguard.internal.flight;

import io.stampedeguard.testkit.ExploresSchedules;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The map of flights is linearizable: the first caller that joins leads, until the flight is removed from the map. */
@ExploresSchedules
public final class SingleFlightMapLincheckTest {
    private static final String KEY = "key";

    private final SingleFlight<String> flights = new SingleFlight<>(Runnable::run, () -> 0);

    @Test
    void isLinearizable() {
        check(4, 100);
    }

    @Test
    @Tag("proof")
    void isLinearizableInManyScenarios() {
        check(50, 1_000);
    }

    private static void check(int scenarios, int schedules) {
        new ModelCheckingOptions()
                .iterations(scenarios)
                .invocationsPerIteration(schedules)
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
