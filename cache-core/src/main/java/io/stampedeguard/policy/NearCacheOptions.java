package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The size of the near cache of a process, and the maximum age of its answers. <em>Immutable.</em>
 *
 * <p>Keys are compared by {@code equals} and {@code hashCode}: if their type does not override these, the near cache never has
 * a hit.
 */
public final class NearCacheOptions {
    private static final Duration LONGEST_STALENESS = Duration.ofHours(1);
    private static final Duration SHORTEST_STALENESS = Duration.ofMillis(100);

    private static final int VALUES_FOR_EACH_NEGATIVE = 10;

    private final long maximum;
    private final long maximumNegativeEntries;
    private final boolean inBytes;
    private final @Nullable Duration timeToLive;
    private final Duration maxStaleness;

    private NearCacheOptions(
            long maximum,
            long maximumNegativeEntries,
            boolean inBytes,
            @Nullable Duration timeToLive,
            Duration maxStaleness) {
        this.maximum = maximum;
        this.maximumNegativeEntries = maximumNegativeEntries;
        this.inBytes = inBytes;
        this.timeToLive = timeToLive;
        this.maxStaleness = maxStaleness;
    }

    /**
     * Bounds the near cache by the number of its entries.
     *
     * @param entries at least 1
     * @return options with this bound, otherwise the defaults
     * @throws IllegalArgumentException if the bound is less than 1
     */
    public static NearCacheOptions maximumSize(long entries) {
        return bounded(atLeastOne("maximumSize", entries), false);
    }

    /**
     * Bounds the near cache by the size of its entries, each counted as long as its key and its encoded value are together.
     * The objects in memory are larger, by a factor that depends on their type.
     *
     * @param bytes at least 1
     * @return options with this bound, otherwise the defaults
     * @throws IllegalArgumentException if the bound is less than 1
     */
    public static NearCacheOptions maximumBytes(long bytes) {
        return bounded(atLeastOne("maximumBytes", bytes), true);
    }

    private static NearCacheOptions bounded(long maximum, boolean inBytes) {
        long negatives = Math.max(1, maximum / VALUES_FOR_EACH_NEGATIVE);
        return new NearCacheOptions(maximum, negatives, inBytes, null, Duration.ofSeconds(2));
    }

    /**
     * Sets the separate bound for "the origin has none", in entries or bytes like the bound for values. Requests for
     * nonexistent keys therefore never evict a value. Default: a tenth of the bound for values.
     *
     * @param entriesOrBytes 0 or more; with 0, none is kept in the process
     * @return new options, otherwise identical to these
     * @throws IllegalArgumentException if the bound is negative
     */
    public NearCacheOptions maximumNegativeEntries(long entriesOrBytes) {
        if (entriesOrBytes < 0) {
            throw new IllegalArgumentException("maximumNegativeEntries " + entriesOrBytes + " is less than 0");
        }
        return new NearCacheOptions(maximum, entriesOrBytes, inBytes, timeToLive, maxStaleness);
    }

    /**
     * Sets the maximum time for which the near cache answers with an entry; in any case no longer than the entry is fresh.
     * Default: as long as it is fresh.
     *
     * @param length at least 1 ms
     * @return new options, otherwise identical to these
     * @throws IllegalArgumentException if the length is shorter
     */
    public NearCacheOptions timeToLive(Duration length) {
        requireNonNull(length, "timeToLive");
        if (length.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("timeToLive " + length + " is shorter than PT0.001S");
        }
        return new NearCacheOptions(maximum, maximumNegativeEntries, inBytes, length, maxStaleness);
    }

    /**
     * Sets the maximum time for which the near cache may answer with an entry that was put, invalidated, or expired through
     * another process. Processes are notified of changes at once; this bound applies when messages are lost. If the store does
     * not report changes, the near cache answers with an entry for no longer than this. Default: 2 seconds.
     *
     * @param length from 100 ms to 1 hour; with less than about two seconds the near cache may pause now and then, because
     *     stores confirm only once per second that no change is missing
     * @return new options, otherwise identical to these
     * @throws IllegalArgumentException if the length is out of range
     */
    public NearCacheOptions maxStaleness(Duration length) {
        requireNonNull(length, "maxStaleness");
        if (length.compareTo(SHORTEST_STALENESS) < 0 || length.compareTo(LONGEST_STALENESS) > 0) {
            throw new IllegalArgumentException(
                    "maxStaleness " + length + " is not from " + SHORTEST_STALENESS + " to " + LONGEST_STALENESS);
        }
        return new NearCacheOptions(maximum, maximumNegativeEntries, inBytes, timeToLive, length);
    }

    /**
     * Returns the bound.
     *
     * @return entries or bytes
     */
    public long maximum() {
        return maximum;
    }

    /**
     * Returns the bound for "the origin has none".
     *
     * @return entries or bytes
     */
    public long maximumNegativeEntries() {
        return maximumNegativeEntries;
    }

    /**
     * Returns whether the bounds count bytes.
     *
     * @return true for bytes, false for entries
     */
    public boolean isInBytes() {
        return inBytes;
    }

    /**
     * Returns the maximum time for which the near cache answers with an entry.
     *
     * @return the length, or {@code null} for as long as the entry is fresh
     */
    public @Nullable Duration timeToLive() {
        return timeToLive;
    }

    /**
     * Returns the maximum time for which an answer may be outdated by another process.
     *
     * @return the bound
     */
    public Duration maxStaleness() {
        return maxStaleness;
    }

    /** Returns all options, for logs. */
    @Override
    public String toString() {
        return "NearCacheOptions[" + (inBytes ? "maximumBytes=" : "maximumSize=") + maximum
                + ", maximumNegativeEntries="
                + maximumNegativeEntries + ", timeToLive="
                + timeToLive + ", maxStaleness=" + maxStaleness + "]";
    }

    private static long atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + " is less than 1");
        }
        return value;
    }
}
