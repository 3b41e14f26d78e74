package io.stampedeguard.testkit;

import io.stampedeguard.loader.BulkLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * An origin with a row for each key, whose reads of many keys are recorded and can be held up at a gate: a read gets
 * the rows first and then waits, like a slow transaction. <em>Thread-safe.</em>
 */
public final class BulkOrigin implements BulkLoader<String, String> {
    private final Map<String, String> written = new ConcurrentHashMap<>();
    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    /** Creates an origin in which the row of "k" is "k's". */
    public BulkOrigin() {}

    /** Changes a row. */
    public void write(String key, String row) {
        written.put(key, row);
    }

    /** Removes a row. */
    public void remove(String key) {
        removed.add(key);
    }

    /** Makes reads that begin from now on fail with this, or succeed again with {@code null}. */
    public void fail(@Nullable Throwable with) {
        gate.fail(with);
    }

    /** Holds up reads that begin from now on. */
    public CountDownLatch close() {
        return gate.close();
    }

    /** Releases all reads that are held up, and future ones. */
    public void open() {
        gate.open();
    }

    /** The bulk loader: reads the existing rows. */
    @Override
    public Map<String, String> loadAll(Set<String> keys) throws Exception {
        return gate.pass(() -> look(keys));
    }

    private Map<String, String> look(Set<String> keys) {
        Map<String, String> rows = new HashMap<>();
        for (String key : keys) {
            if (!removed.contains(key)) {
                rows.put(key, written.getOrDefault(key, key + "'s"));
            }
        }
        calls.add(List.copyOf(keys));
        return rows;
    }

    /** Reads one row, through the same gate. */
    public @Nullable String load(String key) throws Exception {
        return loadAll(Set.of(key)).get(key);
    }

    /** Returns the keys of each call so far. */
    public List<List<String>> calls() {
        return calls;
    }

    /** Returns how often a key was read. */
    public long loads(String key) {
        return calls.stream().filter(keys -> keys.contains(key)).count();
    }

    /** Returns how many reads are running. */
    public int running() {
        return gate.running();
    }

    /** Returns the maximum number of concurrent reads. */
    public int mostAtOnce() {
        return gate.mostAtOnce();
    }
}
