package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What some threads of one process do in a round: they ask for the keys of a series, KEY-0, KEY-1, and so on, as fast as
 * they can or at a fixed rate. The threads share the keys out, or each asks for all of them. <em>Immutable.</em>
 *
 * @param key what the keys begin with
 * @param keys how many there are; when all have been asked for, it begins again
 * @param existing whether the origin has them
 * @param takes how long a load takes
 * @param threads how many ask
 * @param shared whether the threads share the keys out, each taking the next one in turn; otherwise each thread asks for all
 *     keys, in a random order of its own
 * @param calls how often each thread asks
 * @param every in each such span each thread asks once, at a random instant; zero: as fast as they can
 */
public record Series(
        String key,
        int keys,
        boolean existing,
        Duration takes,
        int threads,
        boolean shared,
        int calls,
        Duration every) {
    /**
     * Keys that the origin has, each asked for once, as fast as one thread can.
     *
     * @param key what they begin with
     * @param keys how many there are
     * @return the series
     */
    public static Series existing(String key, int keys) {
        return new Series(key, keys, true, Duration.ZERO, 1, true, keys, Duration.ZERO);
    }

    /**
     * Keys that the origin does not have, each asked for once, as fast as one thread can.
     *
     * @param key what they begin with
     * @param keys how many there are
     * @return the series
     */
    public static Series madeUp(String key, int keys) {
        return new Series(key, keys, false, Duration.ZERO, 1, true, keys, Duration.ZERO);
    }

    /**
     * The same, asked for by several threads, by each as often as is needed for each key to be asked for.
     *
     * @param count how many threads
     * @return a new series
     */
    public Series by(int count) {
        return new Series(key, keys, existing, takes, count, true, (keys + count - 1) / count, every);
    }

    /**
     * The same, asked for by several threads, each of which asks for all keys, in a random order of its own.
     *
     * @param count how many threads
     * @return a new series
     */
    public Series eachBy(int count) {
        return new Series(key, keys, existing, takes, count, false, keys, every);
    }

    /**
     * The same at a fixed rate.
     *
     * @param times how often each thread asks
     * @param span in each such span once, at a random instant
     * @return a new series
     */
    public Series paced(int times, Duration span) {
        return new Series(key, keys, existing, takes, threads, shared, times, span);
    }

    /**
     * The same with loads that take their time.
     *
     * @param length how long
     * @return a new series
     */
    public Series loading(Duration length) {
        return new Series(key, keys, existing, length, threads, shared, calls, every);
    }

    /** Returns the keys for which a thread asks, by the number of the call. */
    IntFunction<String> keysOf(int thread) {
        if (shared) {
            return call -> key(key, (int) (((long) call * threads + thread) % keys));
        }
        List<String> order = all(key, keys).collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(order);
        return call -> order.get(call % keys);
    }

    /** Returns all keys that begin alike. */
    static Stream<String> all(String key, int keys) {
        return IntStream.range(0, keys).mapToObj(i -> key(key, i));
    }

    private static String key(String key, int index) {
        return key + "-" + index;
    }

    Message in(Message message) {
        return message.with("key", key)
                .with("keys", keys)
                .with("existing", existing)
                .with("takes", takes)
                .with("threads", threads)
                .with("shared", shared)
                .with("calls", calls)
                .with("every", every);
    }

    static Series of(Message message) {
        return new Series(
                message.text("key"),
                (int) message.number("keys"),
                Boolean.parseBoolean(message.text("existing")),
                Duration.parse(message.text("takes")),
                (int) message.number("threads"),
                Boolean.parseBoolean(message.text("shared")),
                (int) message.number("calls"),
                Duration.parse(message.text("every")));
    }
}
