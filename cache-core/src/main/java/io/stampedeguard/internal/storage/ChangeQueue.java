package io.stampedeguard.internal.storage;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.Change;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The queued changes of a cache: one for each key, which has the effect of all that were queued for it, in their order. Bounded by
 * the number of keys, and by the room for the values of puts. <em>Thread-safe.</em>
 */
final class ChangeQueue {
    /** The most keys with queued changes. */
    static final int MOST_CHANGES = 10_000;

    /** A value that does not fit is dropped, and its key loaded. */
    private static final long MOST_BYTES = 32L << 20;

    /**
     * At least the number of changes: incremented before a change is added, decremented after it was removed. Read directly, since
     * it is on the path of each hit.
     */
    final AtomicInteger size = new AtomicInteger();

    private final AtomicLong bytes = new AtomicLong();
    private final Map<String, QueuedChange> changes = new ConcurrentHashMap<>();

    /** There is always room for the change under this name. */
    private final String all;

    ChangeQueue(String all) {
        this.all = all;
    }

    @Nullable
    QueuedChange get(String key) {
        return changes.get(key);
    }

    boolean contains(String key) {
        return changes.containsKey(key);
    }

    /** Returns the keys with a change: a view. */
    Set<String> keys() {
        return changes.keySet();
    }

    /** Queues a change; returns false if there is no room for another key. */
    boolean add(String key, Change change) {
        QueuedChange added = changes.compute(key, (same, before) -> {
            if (before == null && size.incrementAndGet() > MOST_CHANGES && !key.equals(all)) {
                size.decrementAndGet();
                return null;
            }
            bytes.addAndGet(before == null ? 0 : -before.length());
            return bounded(QueuedChange.after(before, change));
        });
        return added != null;
    }

    private QueuedChange bounded(QueuedChange change) {
        if (bytes.addAndGet(change.length()) <= MOST_BYTES) {
            return change;
        }
        bytes.addAndGet(-change.length());
        return change.withoutEntry();
    }

    /** Removes or expires the values of all queued puts, or of those with one of the tags, if there are any. */
    void changeValues(Change each, Set<String> tags) {
        boolean removes = each instanceof Change.Invalidate;
        for (String key : changes.keySet()) {
            changes.computeIfPresent(key, (same, change) -> {
                if (!isOf(change.entry(), tags)) {
                    return change;
                }
                bytes.addAndGet(removes ? -change.length() : 0);
                return removes ? change.withoutEntry() : change.expired();
            });
        }
    }

    private static boolean isOf(byte @Nullable [] bytes, Set<String> tags) {
        if (bytes == null || tags.isEmpty()) {
            return bytes != null;
        }
        Entry entry = Entry.decode(bytes);
        return entry != null && !Collections.disjoint(entry.tags(), tags);
    }

    /** Removes a change; returns false if it is not there, or if another one of its key has taken its place. */
    boolean drop(String key, @Nullable QueuedChange change) {
        if (change == null || !changes.remove(key, change)) {
            return false;
        }
        bytes.addAndGet(-change.length());
        size.decrementAndGet();
        return true;
    }
}
