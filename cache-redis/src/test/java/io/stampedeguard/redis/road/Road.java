package io.stampedeguard.redis.road;

import java.util.Set;
import java.util.TreeSet;

/** What one call entered of the library, on its own thread. */
final class Road {
    private final Set<String> files = new TreeSet<>();
    private int entries;
    private int loaderDepth;

    void entered(String type) {
        entries++;
        if (type.contains(".internal.")) { // what is exported are values, and the two faces
            files.add(type.substring(type.lastIndexOf('.') + 1).replaceFirst("[$/].*", ""));
        }
    }

    void reachedLoader(int ownFrames) {
        loaderDepth = Math.max(loaderDepth, ownFrames);
    }

    /** Returns the one that enters fewer files: what takes time, such as a lost connection, lengthens the other. */
    Road shorter(Road other) {
        return files.size() <= other.files.size() ? this : other;
    }

    /** Returns the names of the source files that are not exported, without their ending. */
    Set<String> files() {
        return files;
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
                .formatted(files.size(), entries, loaderDepth, files);
    }
}
