package io.stampedeguard.demo.serve.figures;

import io.stampedeguard.testbed.fleet.Message;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/** A number for each {@link Count}. <em>Immutable.</em> */
public final class Tally {
    public static final Tally ZERO = new Tally(count -> 0);

    private final Map<Count, Long> numbers = new EnumMap<>(Count.class);

    private Tally(ToLongFunction<Count> number) {
        for (Count count : Count.values()) {
            numbers.put(count, number.applyAsLong(count));
        }
    }

    public static Tally of(Message message) {
        return new Tally(count -> message.number(count.name()));
    }

    public long get(Count count) {
        return numbers.getOrDefault(count, 0L);
    }

    public Tally plus(Tally other) {
        return new Tally(count -> get(count) + other.get(count));
    }

    public Tally minus(Tally other) {
        return new Tally(count -> get(count) - other.get(count));
    }
}
