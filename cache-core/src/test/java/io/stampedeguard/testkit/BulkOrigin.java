package io.stampedeguard.testkit;

import io.stampedeguard.BulkLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An origin with a row for each key, whose reads of many keys are remembered and can be held up at a gate: a read looks at
 * the rows first and then waits, as a slow transaction does. <em>Thread-safe.</em>
 */
public final class BulkOrigin implements BulkLoader<String, String> {
    private final Map<String, String> written = new ConcurrentHashMap<>();
    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile @Nullable Throwable failure;

    /** Makes an origin in which the row of "k" is "k's". */
    public BulkOrigin() {}

    /** Changes a row. */
    public void write(String key, String row) {
        written.put(key, row);
    }

    /** Removes a row. */
    public void remove(String key) {
        removed.add(key);
    }

    /** Lets reads that begin from now on fail with this, or succeed again with {@code null}. */
    public void fail(@Nullable Throwable with) {
        failure = with;
    }

    /** Holds up reads that begin from now on. */
    public CountDownLatch close() {
        gate = new CountDownLatch(1);
        return gate;
    }

    /** Lets go of all reads that are held up, and of those to come. */
    public void open() {
        gate.countDown();
    }

    /** The bulk loader: reads the rows that there are. */
    @Override
    public Map<String, String> loadAll(Set<String> keys) throws Exception {
        Map<String, String> rows = new HashMap<>();
        for (String key : keys) {
            if (!removed.contains(key)) {
                rows.put(key, written.getOrDefault(key, key + "'s"));
            }
        }
        Throwable thrown = failure;
        CountDownLatch open = gate;
        calls.add(List.copyOf(keys));
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            open.await();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            return rows;
        } finally {
            running.decrementAndGet();
        }
    }

    /** Reads one row, through the same gate. */
    public @Nullable String load(String key) throws Exception {
        return loadAll(Set.of(key)).get(key);
    }

    /** Tells the keys of each call so far. */
    public List<List<String>> calls() {
        return calls;
    }

    /** Tells how often a key was read. */
    public long loads(String key) {
        return calls.stream().filter(keys -> keys.contains(key)).count();
    }

    /** Tells how many reads run now. */
    public int running() {
        return running.get();
    }

    /** Tells how many reads ran at once at most. */
    public int mostAtOnce() {
        return mostAtOnce.get();
    }
}
