package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.LongRows;
import io.stampedeguard.testbed.measure.Standstills;
import java.util.stream.IntStream;

/** The calls that took more than 10 ms, beside the standstills of their process. <em>Thread-safe.</em> */
public final class SlowCalls {
    private static final long SLOW_MICROS = 10_000;

    private final LongRows calls = new LongRows(2);
    private final Standstills standstills = new Standstills();

    SlowCalls() {}

    void add(Answers.Read call) {
        if (call.ended() - call.began() > SLOW_MICROS) {
            calls.add(call.began(), call.ended());
        }
    }

    void addAll(Message message) {
        calls.addAll(message.text("slowCalls"));
        standstills.addAll(message.text("standstills"));
    }

    Message in(Message message) {
        return message.with("slowCalls", calls.encode()).with("standstills", standstills.encode());
    }

    /**
     * Returns how many there were.
     *
     * @return the number of calls that took more than 10 ms
     */
    public int count() {
        return calls.size();
    }

    /**
     * Returns how many cannot be laid to standstills.
     *
     * @param ofOthers when what the callers ask stood still
     * @return the number of calls that took more than 10 ms besides all standstills
     */
    public long countWhileRunning(Standstills ofOthers) {
        Standstills all = new Standstills();
        all.addAll(standstills);
        all.addAll(ofOthers);
        long[] began = calls.column(0);
        long[] ended = calls.column(1);
        return IntStream.range(0, began.length)
                .filter(i -> all.runningMicros(began[i], ended[i]) > SLOW_MICROS)
                .count();
    }

    /**
     * Returns when the callers' own process stood still.
     *
     * @return the standstills; none are noted unless callers ask again and again
     */
    public Standstills standstills() {
        return standstills;
    }
}
