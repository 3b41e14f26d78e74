package io.stampedeguard.redis.road;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What one call entered of the library, on its own thread. */
final class Road {
    private final Map<String, Integer> entriesOf = new TreeMap<>();
    private int entries;
    private int loaderDepth;

    void entered(String type) {
        entries++;
        if (type.contains(".internal.")
                && !type.contains(".internal.spi.")) { // the others are values, and the two faces
            entriesOf.merge(type.substring(type.lastIndexOf('.') + 1).replaceFirst("[$/].*", ""), 1, Integer::sum);
        }
    }

    void reachedLoader(int ownFrames) {
        loaderDepth = Math.max(loaderDepth, ownFrames);
    }

    /** Returns the one that enters fewer files, or else fewer methods: what takes time, such as a lost connection, lengthens the other. */
    Road shorter(Road other) {
        int more = entriesOf.size() - other.entriesOf.size();
        return more < 0 || (more == 0 && entries <= other.entries) ? this : other;
    }

    /** Returns the names of the source files that are not exported, without their ending. */
    Set<String> files() {
        return entriesOf.keySet();
    }

    int entries() {
        return entries;
    }

    /** Returns the own frames between the call and its loader, 0 if it did not run. */
    int loaderDepth() {
        return loaderDepth;
    }

    String figures() {
        return "%d files, %d methods entered, %d own frames to the loader: %s"
                .formatted(entriesOf.size(), entries, loaderDepth, entriesOf);
    }
}
