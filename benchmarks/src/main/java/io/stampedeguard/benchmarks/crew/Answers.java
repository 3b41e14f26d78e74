package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.LongRows;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What callers were answered and when, and which loads there were, by the wall clock that all processes of the machine
 * share; mergeable over processes. <em>Thread-safe.</em>
 */
public final class Answers {
    private static final long NONE_YET = Long.MAX_VALUE;

    private final Latencies latencies = new Latencies();
    private final LongAdder failures = new LongAdder();
    private final LongAccumulator firstValue = new LongAccumulator(Math::min, NONE_YET);
    private final LongAccumulator last = new LongAccumulator(Math::max, 0);
    private final LongRows reads = new LongRows(3);
    private final LongRows loads = new LongRows(2);
    private final SlowCalls slowCalls = new SlowCalls();
    private final Waits waits = new Waits();

    /** Starts empty. */
    public Answers() {}

    /**
     * A call, as a caller saw it.
     *
     * @param began when, in microseconds since the epoch
     * @param ended when
     * @param got what it was answered
     */
    public record Read(long began, long ended, Got got) {}

    /**
     * Adds a call.
     *
     * @param read the call
     * @param inDetail whether {@link #reads()} is to tell it
     */
    public void add(Read read, boolean inDetail) {
        latencies.record(1_000 * Math.max(0, read.ended() - read.began()));
        last.accumulate(read.ended());
        slowCalls.add(read);
        if (read.got() == Got.FAILURE) {
            failures.increment();
        } else {
            firstValue.accumulate(read.ended());
        }
        if (inDetail) {
            reads.add(read.began(), read.ended(), read.got().code());
        }
    }

    /** Adds one call of many, of which nothing but their latencies is looked at. */
    void addHit(long tookNanos) {
        latencies.record(tookNanos);
    }

    void addFailure() {
        failures.increment();
    }

    void addEnd(long micros) {
        last.accumulate(micros);
    }

    /**
     * Adds a load that is over.
     *
     * @param began when, in microseconds since the epoch
     * @param ended when
     */
    public void addLoad(long began, long ended) {
        loads.add(began, ended);
    }

    /**
     * Adds what another process has noted.
     *
     * @param message what its {@link #in} told
     */
    public void addAll(Message message) {
        latencies.addAll(message.text("latencies"));
        failures.add(message.number("failures"));
        firstValue.accumulate(message.number("firstValue"));
        last.accumulate(message.number("last"));
        reads.addAll(message.text("reads"));
        loads.addAll(message.text("loads"));
        slowCalls.addAll(message);
        waits.addAll(message);
    }

    Message in(Message message) {
        return waits.in(slowCalls.in(message))
                .with("latencies", latencies.encode())
                .with("failures", failures)
                .with("firstValue", firstValue)
                .with("last", last)
                .with("reads", reads.encode())
                .with("loads", loads.encode());
    }

    /**
     * Returns how long the calls took.
     *
     * @return their latencies
     */
    public Latencies latencies() {
        return latencies;
    }

    /**
     * Returns how many calls failed.
     *
     * @return their number
     */
    public long failures() {
        return failures.sum();
    }

    /**
     * Returns when the first caller held a value.
     *
     * @return microseconds since the epoch
     * @throws IllegalStateException if no caller got one
     */
    public long firstValueMicros() {
        if (firstValue.get() == NONE_YET) {
            throw new IllegalStateException("no caller got a value");
        }
        return firstValue.get();
    }

    /**
     * Returns whether any caller got a value.
     *
     * @return not if all failed
     */
    public boolean hasValue() {
        return firstValue.get() != NONE_YET;
    }

    /**
     * Returns when the last caller was answered, by a value or a failure.
     *
     * @return microseconds since the epoch
     */
    public long lastMicros() {
        return last.get();
    }

    /**
     * Returns how many loads there were.
     *
     * @return their number
     */
    public int loads() {
        return loads.size();
    }

    /**
     * Returns when the first load began.
     *
     * @return microseconds since the epoch
     */
    public long firstLoadBegan() {
        return Arrays.stream(loads.column(0)).min().orElseThrow(Answers::noLoad);
    }

    /**
     * Returns when the first load to end ended.
     *
     * @return microseconds since the epoch
     */
    public long firstLoadEnded() {
        return Arrays.stream(loads.column(1)).min().orElseThrow(Answers::noLoad);
    }

    /**
     * Returns when the last load ended.
     *
     * @return microseconds since the epoch
     */
    public long lastLoadEnded() {
        return Arrays.stream(loads.column(1)).max().orElseThrow(Answers::noLoad);
    }

    /**
     * Returns when the loads began.
     *
     * @return microseconds since the epoch, in ascending order
     */
    public long[] loadsBegan() {
        long[] began = loads.column(0);
        Arrays.sort(began);
        return began;
    }

    /**
     * Returns the calls that took more than 10 ms.
     *
     * @return the slow calls
     */
    public SlowCalls slowCalls() {
        return slowCalls;
    }

    /**
     * Returns how many calls waited for a load, somebody else's or their own.
     *
     * @return their number, if the peer can tell
     */
    public OptionalLong waits() {
        return waits.count();
    }

    /** Takes what is known of waits. */
    Waits waitsNoted() {
        return waits;
    }

    /**
     * Returns each call, of those that were noted in detail.
     *
     * @return the calls
     */
    public Stream<Read> reads() {
        long[] began = reads.column(0);
        long[] ended = reads.column(1);
        long[] got = reads.column(2);
        return IntStream.range(0, began.length).mapToObj(i -> new Read(began[i], ended[i], Got.ofCode(got[i])));
    }

    private static IllegalStateException noLoad() {
        return new IllegalStateException("there was no load");
    }
}
