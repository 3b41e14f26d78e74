package io.stampedeguard;

import io.stampedeguard.loader.BulkLoader;
import java.util.HashSet;
import java.util.Set;

/**
 * One {@code getAll} under way, over all its rounds. <em>Not thread-safe.</em>
 *
 * @param deadline until when it waits
 * @param heldBefore keys that somebody else held when they were asked for
 * @param counted keys of which it was noted already that a caller waits for them
 */
record GetAllCall<K, V>(
        Batch<K, V> batch, BulkLoader<K, V> loader, Deadline deadline, Set<String> heldBefore, Set<String> counted) {
    GetAllCall(Batch<K, V> batch, BulkLoader<K, V> loader, Deadline deadline) {
        this(batch, loader, deadline, new HashSet<>(), new HashSet<>());
    }
}
