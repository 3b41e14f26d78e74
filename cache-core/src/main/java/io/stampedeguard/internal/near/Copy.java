package io.stampedeguard.internal.near;

import org.jspecify.annotations.Nullable;

/**
 * A copy of an entry. It is small, and a hit reads nothing else. <em>Thread-safe</em>: only one number is written after its
 * creation. Each of its values was true when it was written, and is compared with the current state.
 *
 * @param <V> the type of the values
 */
public final class Copy<V> {
    private final @Nullable V value;
    private final Lifetime lifetime;
    /** Until then, it is neither stale nor due. */
    private final long quietUntilNanos;

    private final int part;
    private int checkedAt;

    /**
     * Creates a copy.
     *
     * @param value the value, or {@code null} for "the origin has none"
     * @param lifetime everything else
     */
    public Copy(@Nullable V value, Lifetime lifetime) {
        this.value = value;
        this.lifetime = lifetime;
        this.part = lifetime.ticket().part();
        long freshForLonger = lifetime.freshUntilNanos() - lifetime.refreshAtNanos();
        this.quietUntilNanos = freshForLonger > 0 ? lifetime.refreshAtNanos() : lifetime.freshUntilNanos();
    }

    /**
     * Returns the value.
     *
     * @return the value, or {@code null} for "the origin has none"
     */
    public @Nullable V value() {
        return value;
    }

    /**
     * Returns the store's key.
     *
     * @return the store's key
     */
    public String storeKey() {
        return lifetime.ticket().storeKey();
    }

    /**
     * Returns whether the entry should be reloaded.
     *
     * @param nowNanos the monotonic clock
     * @return whether it is due
     */
    public boolean isDue(long nowNanos) {
        return nowNanos - quietUntilNanos >= 0 && nowNanos - lifetime.refreshAtNanos() >= 0;
    }

    /**
     * Returns the end of its soft TTL.
     *
     * @return the time by the monotonic clock
     */
    public long softUntilNanos() {
        return lifetime.softUntilNanos();
    }

    /**
     * Returns when the entry was created.
     *
     * @return the time by the store's clock
     */
    public long createdMillis() {
        return lifetime.createdMillis();
    }

    boolean isFresh(long nowNanos) {
        return nowNanos - quietUntilNanos < 0 || nowNanos - lifetime.freshUntilNanos() < 0;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** Returns the part of the store that holds the key. */
    int part() {
        return part;
    }

    /** Returns the version of {@link Coherence} at which the ticket was last found to be valid. */
    int checkedAt() {
        return checkedAt;
    }

    void checkedAt(int version) {
        checkedAt = version;
    }
}
