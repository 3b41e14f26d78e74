package io.stampedeguard.internal.observe;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds the most frequent keys with a fixed number of counters, by the algorithm Space-Saving (A. Metwally, D. Agrawal, A. El
 * Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005):
 * <ol>
 *   <li>A key that has a counter is counted there, without a lock.
 *   <li>Otherwise, while there are free counters, it gets one.
 *   <li>Otherwise it takes over the lowest counter and continues from its count: the key may have occurred that often before, but
 *       not more often. The inherited count is kept apart from what was counted since.
 * </ol>
 *
 * <p>With m counters, each key with more than the m-th part of all occurrences has one. Only occurrences that were counted for
 * certain are reported. So a flood of keys that occur once is never reported as hot, although it displaces counters of rare keys.
 *
 * <p><em>Thread-safe.</em> If a key is counted on a counter that another key takes over concurrently, that count is lost.
 */
final class SpaceSaving {
    private final ConcurrentHashMap<String, Counter> counters;
    private final ReentrantLock lock = new ReentrantLock();
    private final int capacity;

    /** The counter of a key. Not a record: it is mutable. */
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

    /** A number of occurrences that was counted for certain. */
    record Count(String key, long seen) {}

    SpaceSaving(int capacity) {
        this.capacity = capacity;
        this.counters = new ConcurrentHashMap<>(capacity * 2);
    }

    void count(String key) {
        Counter counter = counters.get(key);
        (counter == null ? counterOf(key) : counter).seen.incrementAndGet();
    }

    private Counter counterOf(String key) {
        lock.lock();
        try {
            Counter present = counters.get(key);
            if (present != null) {
                return present;
            }
            Counter added = new Counter(key, counters.size() < capacity ? 0 : takeLowest());
            counters.put(key, added);
            return added;
        } finally {
            lock.unlock();
        }
    }

    private long takeLowest() {
        Counter lowest = Collections.min(counters.values(), Comparator.comparingLong(Counter::most));
        counters.remove(lowest.key);
        return lowest.most();
    }

    /** Halves all counts the given number of times, and removes keys whose count becomes zero. */
    void halve(int times) {
        lock.lock();
        try {
            for (Counter each : counters.values()) {
                each.seen.updateAndGet(count -> count >> times);
                each.takenOver = each.takenOver >> times;
                if (each.most() == 0) {
                    counters.remove(each.key);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the most frequent keys, the most frequent first, at most the given number. */
    List<Count> top(int most) {
        return counters.values().stream()
                .map(each -> new Count(each.key, each.seen.get()))
                .filter(count -> count.seen > 0)
                .sorted(Comparator.comparingLong(Count::seen).reversed().thenComparing(Count::key))
                .limit(most)
                .toList();
    }
}
