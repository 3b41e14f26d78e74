package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link AdaptiveLoader} brings: a value and, where it is not to be kept as the policy says, for how long, or not at
 * all. <em>Immutable</em>, but for the value.
 *
 * @param <V> the type of the values
 */
public final class LoadedValue<V> {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Kind kind;
    private final @Nullable V value;
    private final @Nullable Duration softTtl;
    private final @Nullable Duration hardTtl;
    private final boolean cached;

    private enum Kind {
        VALUE,
        NOT_MODIFIED
    }

    private LoadedValue(
            Kind kind, @Nullable V value, @Nullable Duration softTtl, @Nullable Duration hardTtl, boolean cached) {
        this.kind = kind;
        this.value = value;
        this.softTtl = softTtl;
        this.hardTtl = hardTtl;
        this.cached = cached;
    }

    /**
     * Returns the answer that the origin has this value.
     *
     * @param <V> the type of the values
     * @param value the value, or {@code null} if the origin has none
     * @return the value, to be kept as the policy says
     */
    public static <V> LoadedValue<V> of(@Nullable V value) {
        return new LoadedValue<>(Kind.VALUE, value, null, null, true);
    }

    /**
     * Returns the answer that the origin has none.
     *
     * @param <V> the type of the values
     * @return "none", to be kept for the policy's {@code negativeTtl}
     */
    public static <V> LoadedValue<V> absent() {
        return of(null);
    }

    /**
     * Returns the answer that the origin still has what the loader was shown as {@link PreviousValue}. The entry lives on as if
     * it had been loaded just now, and its value is not sent to the store again. Without a previous value this is a failure
     * of the loader.
     *
     * @param <V> the type of the values
     * @return "not modified"
     */
    public static <V> LoadedValue<V> notModified() {
        return new LoadedValue<>(Kind.NOT_MODIFIED, null, null, null, true);
    }

    /**
     * Sets for how long this entry is fresh, in place of the policy's {@code softTtl} (or {@code negativeTtl}). Jitter
     * shortens it as any other. Where no hard TTL is set, that is as many times longer as the policy's is.
     *
     * @param length at least 1 ms; of "none" at most 5 minutes, else 3650 days: what is longer is cut
     * @return the same with this soft TTL
     * @throws IllegalArgumentException if the length is shorter
     */
    public LoadedValue<V> softTtl(Duration length) {
        return new LoadedValue<>(kind, value, checked("softTtl", length), hardTtl, cached);
    }

    /**
     * Sets after how long this entry is gone, in place of the policy's {@code hardTtl}. A longer soft TTL is cut to it. Does
     * not matter for "none", which is never served stale.
     *
     * @param length at least 1 ms; what is longer than 3650 days is cut
     * @return the same with this hard TTL
     * @throws IllegalArgumentException if the length is shorter
     */
    public LoadedValue<V> hardTtl(Duration length) {
        return new LoadedValue<>(kind, value, softTtl, checked("hardTtl", length), cached);
    }

    /**
     * Keeps the value out of the cache: it is returned to those who wait for it, and to nobody else. If it was loaded to replace
     * an entry, that is removed.
     *
     * @return the same, not to be kept
     */
    public LoadedValue<V> doNotCache() {
        return new LoadedValue<>(kind, value, softTtl, hardTtl, false);
    }

    private static Duration checked(String name, Duration length) {
        requireNonNull(length, name);
        if (length.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(name + " " + length + " of a loaded value is shorter than " + SHORTEST);
        }
        return length;
    }

    /**
     * Returns whether the previous value was not modified.
     *
     * @return whether this came from {@link #notModified()}
     */
    public boolean isNotModified() {
        return kind == Kind.NOT_MODIFIED;
    }

    /**
     * Returns whether the value may be stored.
     *
     * @return false after {@link #doNotCache()}
     */
    public boolean isCached() {
        return cached;
    }

    /**
     * Returns what was loaded.
     *
     * @return the value, {@code null} if there is none, or the previous one was not modified
     */
    public @Nullable V value() {
        return value;
    }

    /**
     * Returns for how long the value is fresh.
     *
     * @return the TTL, {@code null} for the policy's
     */
    public @Nullable Duration softTtl() {
        return softTtl;
    }

    /**
     * Returns when the entry is removed.
     *
     * @return the TTL, {@code null} for the policy's
     */
    public @Nullable Duration hardTtl() {
        return hardTtl;
    }

    /** Returns what was loaded, without the value. */
    @Override
    public String toString() {
        return "LoadedValue[" + (isNotModified() ? "not modified" : value == null ? "none" : "a value") + ", softTtl="
                + softTtl + ", hardTtl=" + hardTtl + (cached ? "]" : ", not to be cached]");
    }
}
