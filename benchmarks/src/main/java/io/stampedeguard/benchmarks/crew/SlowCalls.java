package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.LongRows;
import io.stampedeguard.testbed.measure.Stalls;
import java.util.stream.IntStream;

/** The calls that took more than 10 ms, and the stalls of their process. <em>Thread-safe.</em> */
public final class SlowCalls {
    private static final long SLOW_MICROS = 10_000;

    private final LongRows calls = new LongRows(2);
    private final Stalls stalls = new Stalls();

    SlowCalls() {}

    void add(Answers.Read call) {
        if (call.ended() - call.began() > SLOW_MICROS) {
            calls.add(call.began(), call.ended());
        }
    }

    void addAll(Message message) {
        calls.addAll(message.text("slowCalls"));
        stalls.addAll(message.text("stalls"));
    }

    Message in(Message message) {
        return message.with("slowCalls", calls.encode()).with("stalls", stalls.encode());
    }

    public int count() {
        return calls.size();
    }

    /**
     * Returns the number of calls that took more than 10 ms after their stalls and those of the servers that they use are
     * subtracted.
     */
    public long countWhileRunning(Stalls ofOthers) {
        Stalls all = new Stalls();
        all.addAll(stalls);
        all.addAll(ofOthers);
        long[] began = calls.column(0);
        long[] ended = calls.column(1);
        return IntStream.range(0, began.length)
                .filter(i -> all.runningMicros(began[i], ended[i]) > SLOW_MICROS)
                .count();
    }

    /** Returns the stalls of the callers' own process; they are only recorded if callers repeat their requests. */
    public Stalls stalls() {
        return stalls;
    }
}
