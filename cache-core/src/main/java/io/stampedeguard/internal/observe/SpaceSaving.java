package io.stampedeguard.internal.observe;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds the keys that come most often with a fixed number of counters: the algorithm Space-Saving (A. Metwally, D. Agrawal, A.
 * El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005):
 *
 * <ol>
 *   <li>a key that has a counter is counted there, without a lock;
 *   <li>else, while there are counters left, it gets one;
 *   <li>else it takes over the counter that stands lowest, and goes on counting from there: so it may have come that often
 *       before, but no more often. What a counter was taken over with is kept apart from what was seen since.
 * </ol>
 *
 * <p>With m counters a key that is more than the m-th part of all that comes has one. Told is what was seen for certain. So
 * a flood of keys that come once each cannot pass for hot, though it moves the counters of keys that seldom come.
 *
 * <p><em>Thread-safe.</em> A key may be counted on a counter that another takes over at the same time; that one is lost.
 */
final class SpaceSaving {
    private final ConcurrentHashMap<String, Counter> counters;
    private final ReentrantLock placing = new ReentrantLock();
    private final int capacity;

    /** How often a key came. Not a record: it counts. */
    private static final class Counter {
        private final String key;
        private final AtomicLong seen = new AtomicLong();
        private long takenOver; // under the lock

        private Counter(String key, long takenOver) {
            this.key = key;
            this.takenOver = takenOver;
        }

        private long most() {
            return takenOver + seen.get();
        }
    }

    /**
     * How often a key came for certain.
     *
     * @param key the key
     * @param seen how often
     */
    record Count(String key, long seen) {}

    SpaceSaving(int capacity) {
        this.capacity = capacity;
        this.counters = new ConcurrentHashMap<>(capacity * 2);
    }

    void count(String key) {
        Counter counter = counters.get(key);
        (counter == null ? place(key) : counter).seen.incrementAndGet();
    }

    private Counter place(String key) {
        placing.lock();
        try {
            Counter present = counters.get(key);
            if (present != null) {
                return present;
            }
            Counter placed = new Counter(key, counters.size() < capacity ? 0 : takeLowest());
            counters.put(key, placed);
            return placed;
        } finally {
            placing.unlock();
        }
    }

    private long takeLowest() {
        Counter lowest = lowest();
        counters.remove(lowest.key);
        return lowest.most();
    }

    private Counter lowest() {
        Counter lowest = null;
        long least = Long.MAX_VALUE;
        for (Counter each : counters.values()) {
            long most = each.most();
            if (lowest == null || most < least) {
                lowest = each;
                least = most;
            }
        }
        return requireNonNull(lowest);
    }

    /** Halves all counts so many times, and forgets the keys of which nothing is left. */
    void halve(int times) {
        placing.lock();
        try {
            for (Counter each : counters.values()) {
                each.seen.updateAndGet(count -> count >> times);
                each.takenOver = each.takenOver >> times;
                if (each.most() == 0) {
                    counters.remove(each.key);
                }
            }
        } finally {
            placing.unlock();
        }
    }

    /** Returns the keys that came most often, at most so many, the most frequent first. */
    List<Count> top(int most) {
        return counters.values().stream()
                .map(each -> new Count(each.key, each.seen.get()))
                .filter(count -> count.seen > 0)
                .sorted(Comparator.comparingLong(Count::seen).reversed().thenComparing(Count::key))
                .limit(most)
                .toList();
    }
}
