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
    record Call(long beganMicros, long endedMicros, String answer) {
        /** How long its answer took once it was to be had: since it began, or since the first failure that it waited for. */
        long lateMicros(List<Long> failures) {
            return endedMicros
                    - failures.stream()
                            .filter(failed -> failed >= beganMicros && failed <= endedMicros)
                            .findFirst()
                            .orElse(beganMicros);
        }
    }

    /** Tells each answer, in the order of the calls. */
    Message each() {
        return Message.of("got")
                .with("answers", calls.stream().map(Call::answer).collect(Collectors.joining(",")))
                .with("slowestMillis", slowestMicros() / 1_000);
    }

    /** Tells how often there was each answer, and how late they were. */
    Message counted(List<Long> failures) {
        Map<String, Long> counts = calls.stream().collect(Collectors.groupingBy(Call::answer, Collectors.counting()));
        long[] late = calls.stream()
                .mapToLong(call -> call.lateMicros(failures))
                .sorted()
                .toArray();
        return Message.of("kept")
                .with("answers", String.join(",", counts.keySet()))
                .with("calls", calls.size())
                .with("slowestMillis", slowestMicros() / 1_000)
                .with("medianLateMicros", late[late.length / 2]);
    }

    private long slowestMicros() {
        return calls.stream()
                .mapToLong(call -> call.endedMicros - call.beganMicros)
                .max()
                .orElse(0);
    }
}
