package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Builder of {@link NearCacheOptions}. <em>Not thread-safe.</em> */
public final class NearCacheOptionsBuilder {
    private static final Duration LONGEST_STALENESS = Duration.ofHours(1);
    private static final Duration SHORTEST_STALENESS = Duration.ofMillis(100);

    private @Nullable Long maximumSize;
    private @Nullable Long maximumBytes;
    private boolean hasInheritedBound;

    Duration maxStaleness = Duration.ofSeconds(2);

    NearCacheOptionsBuilder() {}

    NearCacheOptionsBuilder(NearCacheOptions from) {
        maximumSize = from.isInBytes() ? null : from.maximum();
        maximumBytes = from.isInBytes() ? from.maximum() : null;
        hasInheritedBound = true;
        maxStaleness = from.maxStaleness();
    }

    /**
     * Bounds the near cache by the number of its values. Absent keys have extra room, a tenth of it: requests for nonexistent keys
     * never evict a value.
     *
     * @param entries at least 1
     * @return this
     */
    public NearCacheOptionsBuilder maximumSize(long entries) {
        dropInheritedBound();
        maximumSize = entries;
        return this;
    }

    /**
     * Bounds the near cache by the size of its values; absent keys have extra room, a tenth of it. Each entry counts as many bytes
     * as its key and its encoded value have together, the value before {@code ValueCodec.compressed}; the objects in memory are
     * larger, by a factor that depends on their type. What a codec of your own compresses counts as it is stored.
     *
     * @param bytes at least 1
     * @return this
     */
    public NearCacheOptionsBuilder maximumBytes(long bytes) {
        dropInheritedBound();
        maximumBytes = bytes;
        return this;
    }

    private void dropInheritedBound() {
        if (hasInheritedBound) {
            maximumSize = null;
            maximumBytes = null;
            hasInheritedBound = false;
        }
    }

    /**
     * Sets the maximum time for which the near cache may answer with an entry that was put, invalidated, or expired through
     * another process. Processes are notified of changes at once; this bound applies when messages are lost. If the store
     * restarts without its data, entries answer for so long while they are loaded in the background. If it does not report changes,
     * the near cache answers with an entry for no longer than this. Default: 2 seconds.
     *
     * @param length from 100 ms to 1 hour; with less than about two seconds the near cache may pause now and then, because stores
     *     confirm only once per second that no change is missing
     * @return this
     */
    public NearCacheOptionsBuilder maxStaleness(Duration length) {
        maxStaleness = requireNonNull(length, "maxStaleness");
        return this;
    }

    /**
     * Creates the options.
     *
     * @return the options
     * @throws IllegalArgumentException if an option is out of range, if no bound is set, or if both are; the message names the
     *     options and their values
     */
    public NearCacheOptions build() {
        require(
                maximumSize != null || maximumBytes != null,
                "the near cache has no bound: set maximumSize or maximumBytes");
        require(
                maximumSize == null || maximumBytes == null,
                "maximumSize " + maximumSize + " and maximumBytes " + maximumBytes + " are both set");
        boolean inBytes = maximumBytes != null;
        long maximum = requireNonNull(inBytes ? maximumBytes : maximumSize);
        require(maximum >= 1, (inBytes ? "maximumBytes " : "maximumSize ") + maximum + " is less than 1");
        require(
                maxStaleness.compareTo(SHORTEST_STALENESS) >= 0,
                "maxStaleness " + maxStaleness + " is shorter than " + SHORTEST_STALENESS);
        require(
                maxStaleness.compareTo(LONGEST_STALENESS) <= 0,
                "maxStaleness " + maxStaleness + " is longer than " + LONGEST_STALENESS);
        return new NearCacheOptions(this, maximum, inBytes);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
