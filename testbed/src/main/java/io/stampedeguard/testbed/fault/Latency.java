package io.stampedeguard.testbed.fault;

import java.time.Duration;
import java.util.SplittableRandom;

/** A delay with jitter: at least {@code nanos}, at most {@code jitterNanos} more. <em>Immutable.</em> */
record Latency(long nanos, long jitterNanos) {
    static final Latency NONE = new Latency(0, 0);

    static Latency of(Duration latency, Duration jitter) {
        if (latency.isNegative() || jitter.isNegative()) {
            throw new IllegalArgumentException("latency " + latency + " or jitter " + jitter + " is negative");
        }
        return new Latency(latency.toNanos(), jitter.toNanos());
    }

    /** Returns the delay of the next bytes; draws nothing if there is no jitter. */
    long draw(SplittableRandom random) {
        return jitterNanos == 0 ? nanos : nanos + random.nextLong(jitterNanos + 1);
    }
}
