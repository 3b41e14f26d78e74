package io.stampedeguard.benchmarks.crew;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.LongRows;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The answers that callers got, the loads, and their times, by the wall clock that all processes of the machine share;
 * mergeable over processes. <em>Thread-safe.</em>
 */
public final class Answers {
    private static final long NONE_YET = Long.MAX_VALUE;
    private static final String UNKNOWN = "unknown";

    private final Latencies latencies = new Latencies();
    private final LongAdder failures = new LongAdder();
    private final LongAccumulator firstValue = new LongAccumulator(Math::min, NONE_YET);
    private final LongAccumulator last = new LongAccumulator(Math::max, 0);
    private final LongRows reads = new LongRows(3);
    private final LongRows loads = new LongRows(2);
    private final SlowCalls slowCalls = new SlowCalls();
    private final LongAdder waits = new LongAdder();
    private volatile boolean waitsUnknown;

    /** A call, from the caller's view: when it began and ended, in microseconds since the epoch, and the kind of the answer. */
    public record Read(long began, long ended, Got got) {
        /** Reads a key. */
        @SuppressWarnings("CatchingUnchecked") // a peer may throw anything
        static Read of(Peer peer, String key, Peer.Load origin) {
            long began = WallClock.micros();
            try {
                String value = requireNonNull(peer.get(key, origin), "every row has a value");
                return new Read(began, WallClock.micros(), Got.of(value));
            } catch (Exception failed) {
                return new Read(began, WallClock.micros(), Got.FAILURE);
            }
        }
    }

    /** Adds a call; {@link #reads()} returns it if it is added in detail. */
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

    /** Adds a call of which only the latency is used. */
    void addHit(long tookNanos) {
        latencies.record(tookNanos);
    }

    /** Adds a wait of a caller for its own load. */
    void addOwnLoad() {
        waits.increment();
    }

    /** Adds a peer's number of calls that waited for another caller. */
    void addWaits(OptionalLong before, OptionalLong after) {
        if (before.isPresent() && after.isPresent()) {
            waits.add(after.getAsLong() - before.getAsLong());
        } else {
            waitsUnknown = true;
        }
    }

    void addFailure() {
        failures.increment();
    }

    void addEnd(long micros) {
        last.accumulate(micros);
    }

    /** Adds a completed load, with its begin and end in microseconds since the epoch. */
    public void addLoad(long began, long ended) {
        loads.add(began, ended);
    }

    /** Adds the record of another process, the result of its {@link #in}. */
    public void addAll(Message message) {
        latencies.addAll(message.text("latencies"));
        failures.add(message.number("failures"));
        firstValue.accumulate(message.number("firstValue"));
        last.accumulate(message.number("last"));
        reads.addAll(message.text("reads"));
        loads.addAll(message.text("loads"));
        slowCalls.addAll(message);
        String waited = message.text("waits");
        if (waited.equals(UNKNOWN)) {
            waitsUnknown = true;
        } else {
            waits.add(Long.parseLong(waited));
        }
    }

    Message in(Message message) {
        return slowCalls
                .in(message)
                .with("waits", waitsUnknown ? UNKNOWN : waits)
                .with("latencies", latencies.encode())
                .with("failures", failures)
                .with("firstValue", firstValue)
                .with("last", last)
                .with("reads", reads.encode())
                .with("loads", loads.encode());
    }

    public Latencies latencies() {
        return latencies;
    }

    public long failures() {
        return failures.sum();
    }

    /** Returns when the first caller got a value, in microseconds since the epoch; throws if no caller got one. */
    public long firstValueMicros() {
        if (firstValue.get() == NONE_YET) {
            throw new IllegalStateException("no caller got a value");
        }
        return firstValue.get();
    }

    public boolean hasValue() {
        return firstValue.get() != NONE_YET;
    }

    /** Returns when the last caller was answered, by a value or a failure, in microseconds since the epoch. */
    public long lastMicros() {
        return last.get();
    }

    public int loads() {
        return loads.size();
    }

    /** Returns when the first load began, in microseconds since the epoch. */
    public long firstLoadBegan() {
        return Arrays.stream(loads.column(0)).min().orElseThrow(Answers::noLoad);
    }

    /** Returns when the first load to end ended, in microseconds since the epoch. */
    public long firstLoadEnded() {
        return Arrays.stream(loads.column(1)).min().orElseThrow(Answers::noLoad);
    }

    /** Returns when the last load ended, in microseconds since the epoch. */
    public long lastLoadEnded() {
        return Arrays.stream(loads.column(1)).max().orElseThrow(Answers::noLoad);
    }

    /** Returns when the loads began, in microseconds since the epoch, in ascending order. */
    public long[] loadsBegan() {
        long[] began = loads.column(0);
        Arrays.sort(began);
        return began;
    }

    public SlowCalls slowCalls() {
        return slowCalls;
    }

    /** Returns the number of calls that waited for a load, their own or that of another caller, if the peer reports it. */
    public OptionalLong waits() {
        return waitsUnknown ? OptionalLong.empty() : OptionalLong.of(waits.sum());
    }

    /** Returns the calls that were recorded in detail. */
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
