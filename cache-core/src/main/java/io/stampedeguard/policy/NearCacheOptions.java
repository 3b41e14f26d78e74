package io.stampedeguard.policy;

import java.time.Duration;

/**
 * The size of a near cache, and the maximum age of its answers, as {@link NearCacheOptionsBuilder} documents. <em>Immutable.</em>
 *
 * <p>Keys are compared by {@code equals} and {@code hashCode}: if their type does not override these, there is never a hit.
 */
public final class NearCacheOptions {
    private final long maximum;
    private final boolean inBytes;
    private final Duration maxStaleness;

    NearCacheOptions(NearCacheOptionsBuilder from, long maximum, boolean inBytes) {
        this.maximum = maximum;
        this.inBytes = inBytes;
        this.maxStaleness = from.maxStaleness;
    }

    /**
     * {@return a new builder, which needs a bound: {@link NearCacheOptionsBuilder#maximumSize maximumSize} or {@link
     * NearCacheOptionsBuilder#maximumBytes maximumBytes}}
     */
    public static NearCacheOptionsBuilder builder() {
        return new NearCacheOptionsBuilder();
    }

    /** {@return a new builder with these options} */
    public NearCacheOptionsBuilder toBuilder() {
        return new NearCacheOptionsBuilder(this);
    }

    /** {@return the bound for values, in entries or bytes} */
    public long maximum() {
        return maximum;
    }

    /** {@return whether the bounds count bytes; otherwise they count entries} */
    public boolean isInBytes() {
        return inBytes;
    }

    /** {@return the maximum time for which the near cache may answer with an entry that another process has changed} */
    public Duration maxStaleness() {
        return maxStaleness;
    }

    /** Returns all options, for logs. */
    @Override
    public String toString() {
        return "NearCacheOptions[" + (inBytes ? "maximumBytes=" : "maximumSize=") + maximum + ", maxStaleness="
                + maxStaleness + "]";
    }
}
