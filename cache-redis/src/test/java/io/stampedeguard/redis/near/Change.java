package io.stampedeguard.redis.near;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A new version of a row, of which the cache was notified.
 *
 * @param key the key
 * @param version the version
 * @param toldMicros when the call returned that notified the cache, in microseconds since the epoch
 */
record Change(String key, long version, long toldMicros) {
    static String encode(List<Change> changes) {
        return changes.stream()
                .map(change -> change.key + "." + change.version + "." + change.toldMicros)
                .collect(Collectors.joining("_"));
    }

    static List<Change> decode(String text) {
        return Stream.of(text.split("_"))
                .filter(word -> !word.isEmpty())
                .map(word -> word.split("\\."))
                .map(parts -> new Change(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])))
                .toList();
    }
}
