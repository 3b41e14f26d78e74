package io.stampedeguard.demo.serve;

import io.stampedeguard.testbed.fleet.Message;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** A number for each {@link Count}. <em>Immutable.</em> */
final class Tally {
    static final Tally ZERO = new Tally(count -> 0);

    private final long[] numbers;

    private Tally(ToLongFunction<Count> number) {
        numbers = Stream.of(Count.values()).mapToLong(number).toArray();
    }

    static Tally of(Message message) {
        return new Tally(count -> message.number(count.name()));
    }

    long get(Count count) {
        return numbers[count.ordinal()];
    }

    Tally plus(Tally other) {
        return new Tally(count -> get(count) + other.get(count));
    }

    Tally minus(Tally other) {
        return new Tally(count -> get(count) - other.get(count));
    }
}
