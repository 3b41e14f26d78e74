package io.stampedeguard.redis.near;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** For each version, when a process last requested a key and got that version. <em>Not thread-safe.</em> */
final class Readings {
    private final Map<String, NavigableMap<Long, Long>> lastBegins = new HashMap<>();

    void add(String key, long version, long beganMicros) {
        lastBegins.computeIfAbsent(key, any -> new TreeMap<>()).merge(version, beganMicros, Math::max);
    }

    void addAll(Readings others) {
        others.lastBegins.forEach((key, begins) -> begins.forEach((version, began) -> add(key, version, began)));
    }

    /** Returns how long after the notification of a change the last call began that got an older version; 0 if none. */
    long behindMicros(Change change) {
        return lastBegins.getOrDefault(change.key(), new TreeMap<>()).headMap(change.version(), false).values().stream()
                .mapToLong(began -> Math.max(0, began - change.toldMicros()))
                .max()
                .orElse(0);
    }

    String encode() {
        StringBuilder text = new StringBuilder();
        lastBegins.forEach((key, begins) -> begins.forEach((version, began) -> text.append('_')
                .append(key)
                .append('.')
                .append(version)
                .append('.')
                .append(began)));
        return text.toString();
    }

    static Readings decode(String text) {
        Readings readings = new Readings();
        Change.decode(text).forEach(word -> readings.add(word.key(), word.version(), word.toldMicros()));
        return readings;
    }
}
