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
 * The requests of some threads of one process in a round, for a series of keys: KEY-0, KEY-1, and so on, as fast as
 * possible or at a fixed rate. The threads divide the keys among them, or each requests all of them.
 * <em>Immutable.</em>
 *
 * @param key the prefix of the keys
 * @param keys the number of keys; after the last one the series restarts
 * @param existing whether the origin has these keys
 * @param takes how long a load takes
 * @param threads the number of threads
 * @param shared whether the threads divide the keys, each taking the next one in turn; otherwise each thread requests
 *     all keys, in a random order of its own
 * @param calls the number of requests of each thread
 * @param every the span in which each thread requests once, at a
 *     random instant; zero: as fast as possible
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
     * Returns a series of existing keys, each requested once, as fast as one thread can.
     *
     * @param key the prefix of the keys
     * @param keys the number of keys
     * @return the series
     */
    public static Series existing(String key, int keys) {
        return new Series(key, keys, true, Duration.ZERO, 1, true, keys, Duration.ZERO);
    }

    /**
     * Returns a series of nonexistent keys, each requested once, as fast as one thread can.
     *
     * @param key the prefix of the keys
     * @param keys the number of keys
     * @return the series
     */
    public static Series madeUp(String key, int keys) {
        return new Series(key, keys, false, Duration.ZERO, 1, true, keys, Duration.ZERO);
    }

    /**
     * Returns the same series for several threads, which divide the keys so that each key is requested.
     *
     * @param count the number of threads
     * @return a new series
     */
    public Series by(int count) {
        return new Series(key, keys, existing, takes, count, true, (keys + count - 1) / count, every);
    }

    /**
     * Returns the same series for several threads, each of which requests all keys, in a random order of its own.
     *
     * @param count the number of threads
     * @return a new series
     */
    public Series eachBy(int count) {
        return new Series(key, keys, existing, takes, count, false, keys, every);
    }

    /**
     * Returns the same series at a fixed rate.
     *
     * @param times the number of requests of each thread
     * @param span the span in which each thread requests once, at a
     *     random instant
     * @return a new series
     */
    public Series paced(int times, Duration span) {
        return new Series(key, keys, existing, takes, threads, shared, times, span);
    }

    /**
     * Returns the same series with loads of a given duration.
     *
     * @param length the duration of a load
     * @return a new series
     */
    public Series loading(Duration length) {
        return new Series(key, keys, existing, length, threads, shared, calls, every);
    }

    /** Returns the keys that a thread requests, by the number of the call. */
    IntFunction<String> keysOf(int thread) {
        if (shared) {
            return call -> key(key, (int) (((long) call * threads + thread) % keys));
        }
        List<String> order = all(key, keys).collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(order);
        return call -> order.get(call % keys);
    }

    /** Returns all keys with the same prefix. */
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
