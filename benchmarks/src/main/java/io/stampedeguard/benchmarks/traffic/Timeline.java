package io.stampedeguard.benchmarks.traffic;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Concurrency;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.LongRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What became of a {@link Traffic}, second by second since the release: a call counts in the second in which it ends, a load in
 * that in which it begins. Mergeable over processes. Ranges of seconds include their first and exclude their last one.
 * <em>Thread-safe.</em>
 */
public final class Timeline {
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);
    private static final int KEY_BITS = 32;

    /** One for each second, and one for the calls that ended later. */
    private final List<Second> seconds;

    private final LongRows loads = new LongRows(3);
    private final LongAccumulator slowCallsOfACaller = new LongAccumulator(Math::max, 0);

    public Timeline(int length) {
        this.seconds = Stream.generate(Second::new).limit(length + 1L).toList();
    }

    /** The calls that ended in one second. */
    private static final class Second {
        private final Latencies calls = new Latencies();
        private final LongAdder errors = new LongAdder();
        private final LongAdder misses = new LongAdder();
        private final Set<String> breakers = new ConcurrentSkipListSet<>();
    }

    public void addCall(int second, long tookNanos, boolean answered) {
        second(second).calls.record(tookNanos);
        second(second).errors.add(answered ? 0 : 1);
    }

    /** Adds calls that had to wait for a load, their own or that of another caller. */
    public void addMisses(int second, long count) {
        second(second).misses.add(count);
    }

    /** Adds the state of the circuit breaker of a process at the end of a second, {@code null} if it has none. */
    public void addBreaker(int second, @Nullable String state) {
        if (state != null) {
            second(second).breakers.add(state);
        }
    }

    /** Adds a completed load, with its begin and end in microseconds since the release. */
    public void addLoad(long began, long ended, long key) {
        loads.add(began, ended, key);
    }

    public void addSlowCallsOfACaller(long count) {
        slowCallsOfACaller.accumulate(count);
    }

    private Second second(int index) {
        return seconds.get(Math.min(index, length()));
    }

    /** Adds the record of a process, the result of its {@link #in}; its loads are told from those of other processes. */
    public void addAll(Message message, int process) {
        for (int i = 0; i < seconds.size(); i++) {
            Second second = seconds.get(i);
            second.calls.addAll(message.text("calls" + i));
            second.errors.add(message.number("errors" + i));
            second.misses.add(message.number("misses" + i));
            String breakers = message.text("breakers" + i);
            if (!breakers.isEmpty()) {
                second.breakers.addAll(List.of(breakers.split(",", -1)));
            }
        }
        LongRows theirs = new LongRows(3);
        theirs.addAll(message.text("loads"));
        long[] began = theirs.column(0);
        long[] ended = theirs.column(1);
        long[] key = theirs.column(2);
        for (int i = 0; i < began.length; i++) {
            addLoad(began[i], ended[i], ((long) process << KEY_BITS) + key[i]);
        }
        addSlowCallsOfACaller(message.number("slowCallsOfACaller"));
    }

    public Message in(Message message) {
        Message all = message.with("loads", loads.encode()).with("slowCallsOfACaller", slowCallsOfACaller);
        for (int i = 0; i < seconds.size(); i++) {
            Second second = seconds.get(i);
            all = all.with("calls" + i, second.calls.encode())
                    .with("errors" + i, second.errors)
                    .with("misses" + i, second.misses)
                    .with("breakers" + i, String.join(",", second.breakers));
        }
        return all;
    }

    /** Returns the number of seconds. */
    public int length() {
        return seconds.size() - 1;
    }

    /** Returns the durations of all calls in some seconds, failed ones included. */
    public Latencies calls(int from, int to) {
        Latencies all = new Latencies();
        seconds.subList(from, to).forEach(second -> all.addAll(second.calls.encode()));
        return all;
    }

    /** Returns the durations of all calls from a second on, those included that ended after the last one. */
    public Latencies callsFrom(int from) {
        return calls(from, seconds.size());
    }

    /** Returns the number of calls that did not get a value. */
    public long errors(int from, int to) {
        return sum(from, to, second -> second.errors.sum());
    }

    /** Returns the number of calls that did not get a value, those included that ended after the last second. */
    public long errors() {
        return errors(0, seconds.size());
    }

    /** Returns the number of calls that got a value. */
    public long gets(int from, int to) {
        return sum(from, to, second -> second.calls.count()) - errors(from, to);
    }

    /** Returns the number of calls that got a value without waiting for a load. */
    public long hits(int from, int to) {
        return Math.max(0, gets(from, to) - misses(from, to));
    }

    /** Returns the number of calls that had to wait for a load. */
    public long misses(int from, int to) {
        return sum(from, to, second -> second.misses.sum());
    }

    private long sum(int from, int to, ToLongFunction<Second> count) {
        return seconds.subList(from, to).stream().mapToLong(count).sum();
    }

    /** Returns the states of the circuit breakers at the end of a second, {@code null} if the peer has none. */
    public @Nullable String breaker(int second) {
        Set<String> states = seconds.get(second).breakers;
        return states.isEmpty() ? null : String.join(",", states);
    }

    /** Returns the number of loads that began in each second. */
    public long[] loads() {
        long[] counts = new long[length()];
        for (long began : loads.column(0)) {
            int second = (int) (began / SECOND_MICROS);
            if (second < counts.length) {
                counts[second]++;
            }
        }
        return counts;
    }

    /** Returns, for each second, the largest number of loads in all processes at one instant. */
    public long[] loadsAtOnce() {
        Concurrency loading = Concurrency.of(loads.column(0), loads.column(1));
        return LongStream.range(0, length())
                .map(second -> loading.mostBetween(second * SECOND_MICROS, (second + 1) * SECOND_MICROS))
                .toArray();
    }

    /** Returns the number of loads of the key that one process loaded most often, begun in some seconds. */
    public long mostLoadsOfAKey(int from, int to) {
        long[] began = loads.column(0);
        long[] keys = loads.column(2);
        Map<Long, Long> counts = new HashMap<>();
        IntStream.range(0, began.length)
                .filter(i -> began[i] >= from * SECOND_MICROS && began[i] < to * SECOND_MICROS)
                .forEach(i -> counts.merge(keys[i], 1L, Long::sum));
        return counts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns the number of slow calls, longer than half a second, of the caller that had most of them. */
    public long slowCallsOfACaller() {
        return slowCallsOfACaller.get();
    }
}
