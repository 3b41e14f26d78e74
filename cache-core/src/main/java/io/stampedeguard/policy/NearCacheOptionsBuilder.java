package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Builder of {@link NearCacheOptions}. <em>Not thread-safe.</em> */
public final class NearCacheOptionsBuilder {
    private static final Duration SHORTEST_LIFE = Duration.ofMillis(1);
    private static final Duration LONGEST_STALENESS = Duration.ofHours(1);
    private static final Duration SHORTEST_STALENESS = Duration.ofMillis(100);

    private @Nullable Long maximumSize;
    private @Nullable Long maximumBytes;
    private boolean hasInheritedBound;

    @Nullable
    Long maximumNegativeEntries;

    @Nullable
    Duration timeToLive;

    Duration maxStaleness = Duration.ofSeconds(2);

    NearCacheOptionsBuilder() {}

    NearCacheOptionsBuilder(NearCacheOptions from) {
        maximumSize = from.isInBytes() ? null : from.maximum();
        maximumBytes = from.isInBytes() ? from.maximum() : null;
        hasInheritedBound = true;
        maximumNegativeEntries = from.ownMaximumNegativeEntries();
        timeToLive = from.timeToLive();
        maxStaleness = from.maxStaleness();
    }

    /**
     * Bounds the near cache by the number of its entries.
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
     * Bounds the near cache by the size of its entries. Each counts as many bytes as its key and its encoded value have together;
     * the objects in memory are larger, by a factor that depends on their type.
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
     * Sets the separate bound for "the origin has none", in entries or bytes like the bound for values. Requests for nonexistent
     * keys therefore never evict a value. Default: a tenth of the bound for values.
     *
     * @param entriesOrBytes 0 or more; with 0, none is kept in the process
     * @return this
     */
    public NearCacheOptionsBuilder maximumNegativeEntries(long entriesOrBytes) {
        maximumNegativeEntries = entriesOrBytes;
        return this;
    }

    /**
     * Sets how long the near cache answers with an entry, at most as long as it is fresh. Default: as long as it is fresh.
     *
     * @param length at least 1 ms
     * @return this
     */
    public NearCacheOptionsBuilder timeToLive(Duration length) {
        timeToLive = requireNonNull(length, "timeToLive");
        return this;
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
                maximumNegativeEntries == null || maximumNegativeEntries >= 0,
                "maximumNegativeEntries " + maximumNegativeEntries + " is less than 0");
        require(
                timeToLive == null || timeToLive.compareTo(SHORTEST_LIFE) >= 0,
                "timeToLive " + timeToLive + " is shorter than " + SHORTEST_LIFE);
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
