package io.stampedeguard.simulation;

import io.stampedeguard.testbed.measure.Latencies;

/** The reads of all callers. For the strands of the loop. */
final class Reads {
    private Latencies latencies = new Latencies();
    private Latencies lags = new Latencies();
    private long failures;

    /** Returns how long reads took that returned a value. */
    Latencies latencies() {
        return latencies;
    }

    /** Returns how long callers that waited for another caller's load were answered after its end. */
    Latencies lags() {
        return lags;
    }

    void failed() {
        failures++;
    }

    long failures() {
        return failures;
    }

    void countAnew() {
        latencies = new Latencies();
        lags = new Latencies();
        failures = 0;
    }
}
