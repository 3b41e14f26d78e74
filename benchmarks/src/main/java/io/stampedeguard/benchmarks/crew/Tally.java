package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Counts of the answers to the requests of a {@link Series}; mergeable over processes. <em>Thread-safe.</em> */
public final class Tally {
    /** A key and its count, in the form of a map's entry. */
    private static final Pattern COUNTED = Pattern.compile("([^{=, ]+)=(\\d+)");

    private final Latencies latencies = new Latencies();
    private final LongAdder absent = new LongAdder();
    private final LongAdder loads = new LongAdder();
    private final Map<String, LongAdder> loadsOfKeys = new ConcurrentHashMap<>();
    private final LongAdder failures = new LongAdder();
    private final LongAccumulator last = new LongAccumulator(Math::max, 0);
    private final LongAdder processorNanos = new LongAdder();
    private final LongAdder compilationMillis = new LongAdder();
    private final Map<String, LongAdder> unleasedLoads = new ConcurrentHashMap<>();

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

    /** Counts a load of one of a few keys, each of which is counted separately. */
    void addLoad(String key) {
        addLoad();
        add(loadsOfKeys, key, 1);
    }

    private static void add(Map<String, LongAdder> counts, String key, long count) {
        counts.computeIfAbsent(key, none -> new LongAdder()).add(count);
    }

    private static void addAll(Map<String, LongAdder> counts, String text) {
        COUNTED.matcher(text)
                .results()
                .forEach(counted -> add(counts, counted.group(1), Long.parseLong(counted.group(2))));
    }

    void addProcessorNanos(long nanos) {
        processorNanos.add(nanos);
    }

    void addCompilationMillis(long millis) {
        compilationMillis.add(millis);
    }

    void addUnleasedLoads(String reason, long count) {
        add(unleasedLoads, reason, count);
    }

    void addEnd(long micros) {
        last.accumulate(micros);
    }

    /** Adds the counts of another process, the result of its {@link #in}. */
    public void addAll(Message message) {
        latencies.addAll(message.text("latencies"));
        absent.add(message.number("absent"));
        loads.add(message.number("loads"));
        addAll(loadsOfKeys, message.text("loadsOfKeys"));
        failures.add(message.number("failures"));
        last.accumulate(message.number("last"));
        processorNanos.add(message.number("processorNanos"));
        compilationMillis.add(message.number("compilationMillis"));
        addAll(unleasedLoads, message.text("unleasedLoads"));
    }

    Message in(Message message) {
        return message.with("latencies", latencies.encode())
                .with("absent", absent)
                .with("loads", loads)
                .with("loadsOfKeys", loadsOfKeys)
                .with("failures", failures)
                .with("last", last)
                .with("processorNanos", processorNanos)
                .with("compilationMillis", compilationMillis)
                .with("unleasedLoads", unleasedLoads);
    }

    public Latencies latencies() {
        return latencies;
    }

    /** Returns the number of calls that were answered with absence. */
    public long absent() {
        return absent.sum();
    }

    public long loads() {
        return loads.sum();
    }

    /**
     * Returns the number of loads of the key that was loaded most often, over all processes; 0 if loads were not counted by key.
     */
    public long mostLoadsOfAKey() {
        return loadsOfKeys.values().stream().mapToLong(LongAdder::sum).max().orElse(0);
    }

    public long failures() {
        return failures.sum();
    }

    /** Returns the processor time that the processes used from the release on, in microseconds. */
    public double processorMicros() {
        return processorNanos.sum() / 1e3;
    }

    /** Returns the time that the compilers of the JVMs have worked on compilations that ended after the release. */
    public long compilationMillis() {
        return compilationMillis.sum();
    }

    /** Returns the number of keys that a peer with leases has loaded without one, for any reason. */
    public long unleasedLoads() {
        return unleasedLoads.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns the number of keys that a peer with leases has loaded without one, for a reason. */
    public long unleasedLoads(String reason) {
        LongAdder counted = unleasedLoads.get(reason);
        return counted == null ? 0 : counted.sum();
    }

    /** Returns when the last thread was done, in microseconds since the epoch. */
    public long lastMicros() {
        return last.get();
    }
}
