package io.stampedeguard.benchmarks.crew;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of some threads of one process in a round, for a series of keys: KEY-0, KEY-1, and so on; after the last one the
 * series restarts. If {@code shared}, the threads divide the keys, each taking the next one in turn; otherwise each thread
 * requests all of them, in a random order of its own. Each thread sends {@code calls} requests, one at a random instant of each
 * span {@code every}, or as fast as possible if that is zero; it sends no more after the time {@code most}, if that is not zero.
 * The origin has the keys if they are {@code existing}.
 * <em>Immutable.</em>
 */
public record Series(
        String key,
        int keys,
        boolean existing,
        Duration takes,
        int threads,
        boolean shared,
        int calls,
        Duration every,
        Duration most) {
    /** Returns a series of existing keys, each requested once, as fast as one thread can. */
    public static Series existing(String key, int keys) {
        return new Series(key, keys, true, Duration.ZERO, 1, true, keys, Duration.ZERO, Duration.ZERO);
    }

    /** Returns a series of nonexistent keys, each requested once, as fast as one thread can. */
    public static Series nonexistent(String key, int keys) {
        return new Series(key, keys, false, Duration.ZERO, 1, true, keys, Duration.ZERO, Duration.ZERO);
    }

    /** Returns the same series for several threads, which divide the keys so that each key is requested. */
    public Series by(int count) {
        return new Series(key, keys, existing, takes, count, true, (keys + count - 1) / count, every, most);
    }

    /** Returns the same series for several threads, each of which requests all keys, in a random order of its own. */
    public Series eachBy(int count) {
        return new Series(key, keys, existing, takes, count, false, keys, every, most);
    }

    /** Returns the same series at a fixed rate: each thread sends one request at a random instant of each span. */
    public Series paced(int times, Duration span) {
        return new Series(key, keys, existing, takes, threads, shared, times, span, most);
    }

    /** Returns the same series with loads of a given duration. */
    public Series loading(Duration length) {
        return new Series(key, keys, existing, length, threads, shared, calls, every, most);
    }

    /** Returns the same series, ended after a length of time. */
    public Series atMost(Duration length) {
        return new Series(key, keys, existing, takes, threads, shared, calls, every, length);
    }

    /** Returns the keys that a thread requests, by the number of the call. */
    IntFunction<@Nullable String> keysOf(int thread) {
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

    static String key(String key, int index) {
        return key + "-" + index;
    }
}
