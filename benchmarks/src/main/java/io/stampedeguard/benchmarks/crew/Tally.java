package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What those who asked for a {@link Series} were answered, counted; mergeable over processes. <em>Thread-safe.</em> */
public final class Tally {
    private final Latencies latencies = new Latencies();
    private final LongAdder absent = new LongAdder();
    private final LongAdder loads = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAccumulator last = new LongAccumulator(Math::max, 0);

    /** Starts empty. */
    public Tally() {}

    void addAnswer(@Nullable String value, long tookNanos) {
        latencies.record(tookNanos);
        if (value == null) {
            absent.increment();
        }
    }

    void addFailure(long tookNanos) {
        latencies.record(tookNanos);
        failures.increment();
    }

    void addLoad() {
        loads.increment();
    }

    void addEnd(long micros) {
        last.accumulate(micros);
    }

    /**
     * Adds what another process has counted.
     *
     * @param message what its {@link #in} told
     */
    public void addAll(Message message) {
        latencies.addAll(message.text("latencies"));
        absent.add(message.number("absent"));
        loads.add(message.number("loads"));
        failures.add(message.number("failures"));
        last.accumulate(message.number("last"));
    }

    Message in(Message message) {
        return message.with("latencies", latencies.encode())
                .with("absent", absent)
                .with("loads", loads)
                .with("failures", failures)
                .with("last", last);
    }

    /**
     * Tells how long the calls took, and how many there were.
     *
     * @return their latencies
     */
    public Latencies latencies() {
        return latencies;
    }

    /**
     * Tells how many calls were answered that there is no such key.
     *
     * @return their number
     */
    public long absent() {
        return absent.sum();
    }

    /**
     * Tells how often the origin was called.
     *
     * @return the number of loads
     */
    public long loads() {
        return loads.sum();
    }

    /**
     * Tells how many calls failed.
     *
     * @return their number
     */
    public long failures() {
        return failures.sum();
    }

    /**
     * Tells when the last thread was through.
     *
     * @return microseconds since the epoch
     */
    public long lastMicros() {
        return last.get();
    }
}
