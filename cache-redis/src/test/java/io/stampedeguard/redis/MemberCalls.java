package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What became of some calls of a member's cache. <em>Immutable.</em>
 *
 * @param calls the calls
 */
record MemberCalls(List<Call> calls) {
    /**
     * One call.
     *
     * @param beganMicros when it began
     * @param endedMicros when it had its answer
     * @param answer the value, or the simple name of the exception
     */
    record Call(long beganMicros, long endedMicros, String answer) {}

    /** Tells each answer, in the order of the calls. */
    Message each() {
        return Message.of("got")
                .with("answers", calls.stream().map(Call::answer).collect(Collectors.joining(",")))
                .with("slowestMillis", slowestMicros() / 1_000);
    }

    /** Tells how often there was each answer. */
    Message counted() {
        Map<String, Long> counts = calls.stream().collect(Collectors.groupingBy(Call::answer, Collectors.counting()));
        return Message.of("kept")
                .with(
                        "counts",
                        counts.entrySet().stream()
                                .map(count -> count.getKey() + ":" + count.getValue())
                                .collect(Collectors.joining(",")))
                .with("slowestMillis", slowestMicros() / 1_000);
    }

    private long slowestMicros() {
        return calls.stream()
                .mapToLong(call -> call.endedMicros - call.beganMicros)
                .max()
                .orElse(0);
    }
}
