package io.stampedeguard.redis;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An origin whose rows show how often they were written, and the oldest version that readers may still get.
 * <em>Thread-safe.</em>
 */
final class VersionedRows {
    private static final long READ_NANOS = 500_000;

    private final AtomicLongArray versions;
    private final AtomicLongArray floors;

    VersionedRows(int size) {
        versions = new AtomicLongArray(size);
        floors = new AtomicLongArray(size);
    }

    int size() {
        return versions.length();
    }

    static String name(int row) {
        return "row" + row;
    }

    /** The loader: reads the row, then takes a while, like a slow transaction. */
    String read(String name) {
        String value = name + "=" + versions.get(Integer.parseInt(name.substring("row".length())));
        LockSupport.parkNanos(READ_NANOS);
        return value;
    }

    long write(int row) {
        return versions.incrementAndGet(row);
    }

    /** From now on no reader may get an older version. */
    void raiseFloor(int row, long version) {
        floors.accumulateAndGet(row, version, Math::max);
    }

    long floor(int row) {
        return floors.get(row);
    }

    /** Returns what is wrong with an answer; {@code null} if nothing is. */
    @Nullable
    String faultOf(int row, @Nullable String answer, long floor) {
        String head = name(row) + "=";
        if (answer == null || !answer.startsWith(head)) {
            return head + " was answered by " + answer;
        }
        long version = Long.parseLong(answer.substring(head.length()));
        return version < floor || version > versions.get(row)
                ? answer + " is not between " + floor + " and " + versions.get(row)
                : null;
    }
}
