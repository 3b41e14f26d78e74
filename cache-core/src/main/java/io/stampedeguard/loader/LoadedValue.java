package io.stampedeguard.loader;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.failure.ShownText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of an {@link AdaptiveLoader}: a value and, if it differs from the policy, how long it is cached, if at all; and the
 * tags by which it can be invalidated. <em>Immutable</em>, except for the value.
 *
 * @param <V> the type of the values
 */
public final class LoadedValue<V> {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final int MOST_TAGS = 16;
    private static final int LONGEST_TAG = 64;

    private final boolean isNotModified;
    private final @Nullable V value;
    private final @Nullable Duration softTtl;
    private final @Nullable Duration hardTtl;
    private final boolean cached;
    private final @Nullable Instant asOf;
    private final List<String> tags;

    private LoadedValue(
            boolean isNotModified,
            @Nullable V value,
            @Nullable Duration softTtl,
            @Nullable Duration hardTtl,
            boolean cached,
            @Nullable Instant asOf,
            List<String> tags) {
        this.isNotModified = isNotModified;
        this.value = value;
        this.softTtl = softTtl;
        this.hardTtl = hardTtl;
        this.cached = cached;
        this.asOf = asOf;
        this.tags = tags;
    }

    /**
     * {@return a result with a value, and with the TTLs of the policy}
     *
     * @param <V> the type of the values
     * @param value the value, or {@code null} if the origin has none
     */
    public static <V> LoadedValue<V> of(@Nullable V value) {
        return new LoadedValue<>(false, value, null, null, true, null, List.of());
    }

    /**
     * {@return the result "the origin has none", with the policy's {@code negativeTtl}} If that is zero, it is cached only with a
     * {@link #softTtl(Duration)}.
     *
     * @param <V> the type of the values
     */
    public static <V> LoadedValue<V> absent() {
        return of(null);
    }

    /**
     * {@return the result that the origin still has the {@link PreviousValue}} The entry's TTLs start again as if it had just
     * been loaded, and its value is not sent to the store again. Without a previous value this is a failure of the loader.
     *
     * @param <V> the type of the values
     */
    public static <V> LoadedValue<V> notModified() {
        return new LoadedValue<>(true, null, null, null, true, null, List.of());
    }

    /**
     * {@return a copy of this result with a soft TTL instead of the policy's {@code softTtl} (or {@code negativeTtl})} It is
     * shortened by jitter as usual. If no hard TTL is set, the hard TTL is longer by the same factor as in the policy.
     *
     * @param length for "none" limited to 5 minutes, otherwise to 3650 days; less than 1 ms, such as zero or a negative length,
     *     means that the result is not cached, as by {@link #doNotCache()}
     */
    public LoadedValue<V> softTtl(Duration length) {
        return new LoadedValue<>(isNotModified, value, requireNonNull(length, "softTtl"), hardTtl, cached, asOf, tags);
    }

    /**
     * {@return this result with a hard TTL instead of the policy's {@code hardTtl}} A longer soft TTL is limited to it. "None" is
     * never served stale, so for "none" only a length below 1 ms has an effect.
     *
     * @param length limited to 3650 days; less than 1 ms, such as zero or a negative length, means that the result is not cached,
     *     as by {@link #doNotCache()}
     */
    public LoadedValue<V> hardTtl(Duration length) {
        return new LoadedValue<>(isNotModified, value, softTtl, requireNonNull(length, "hardTtl"), cached, asOf, tags);
    }

    /**
     * {@return a copy of this result that is not cached: only waiting callers receive it, and an entry that it replaces is
     * removed}
     */
    public LoadedValue<V> doNotCache() {
        return new LoadedValue<>(isNotModified, value, softTtl, hardTtl, false, asOf, tags);
    }

    /**
     * {@return a copy of this result that was read as of an instant, which may be before the load began, such as the beginning of a
     * {@code REPEATABLE READ} transaction} If the key, or all keys of the cache, may have been changed at that instant or later, the
     * value is returned to its own caller only: it is not stored, and other callers that wait for it load themselves. So is a value
     * as of a time that is longer ago than the policy's {@code changeMemory}, or not over yet. In a cache without {@code changeMemory},
     * this is a failure of the loader. While the store gives no lease, only the changes of this process are known.
     *
     * <p>Read the clock <em>before</em> the transaction begins, on this machine, not in the database:
     * <pre>{@code
     * Instant begin = Instant.now();
     * return transactions.execute(status -> LoadedValue.of(repository.read(id)).asOf(begin));
     * }</pre>
     *
     * @param instant by the clock of this process, not later than the beginning of the snapshot; if that clock is set back before
     *     the load ends, the value seems younger than it is
     * @throws ArithmeticException if the instant is millions of years from now
     */
    public LoadedValue<V> asOf(Instant instant) {
        Instant inMillis = Instant.ofEpochMilli(requireNonNull(instant, "asOf").toEpochMilli());
        return new LoadedValue<>(isNotModified, value, softTtl, hardTtl, cached, inMillis, tags);
    }

    /**
     * {@return a copy of this result with tags, in place of earlier ones} {@code StampedeGuardedCache.invalidateTag} and {@code
     * expireTag} change all entries with a tag at once. A {@linkplain #notModified result that was not modified} without tags keeps
     * those of the previous value.
     *
     * <p>For example, {@code LoadedValue.of(product).tags("supplier:7", "catalog")}.
     *
     * @param tags at most 16 different ones, each of 1 to 64 bytes of UTF-8; none for a result without tags
     * @throws IllegalArgumentException if there are more, or if one is empty, longer, or no valid Unicode
     */
    public LoadedValue<V> tags(String... tags) {
        List<String> different = Stream.of(tags).distinct().toList();
        if (different.size() > MOST_TAGS) {
            throw new IllegalArgumentException(different.size() + " tags, but a value can have at most " + MOST_TAGS
                    + ", the first: " + ShownText.of(different.get(0)));
        }
        different.forEach(LoadedValue::requireValid);
        return new LoadedValue<>(isNotModified, value, softTtl, hardTtl, cached, asOf, different);
    }

    private static void requireValid(String tag) {
        int length = requireNonNull(tag, "tag").getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > LONGEST_TAG) {
            throw new IllegalArgumentException("tag " + ShownText.of(tag) + " has " + length
                    + " bytes of UTF-8, but must have 1 to " + LONGEST_TAG);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(tag)) {
            throw new IllegalArgumentException(
                    "tag " + ShownText.of(tag) + " contains half of a surrogate pair, which UTF-8 cannot represent");
        }
    }

    /** {@return whether the previous value was not modified; true for {@link #notModified()}} */
    public boolean isNotModified() {
        return isNotModified;
    }

    /** {@return whether the value may be stored; false after {@link #doNotCache()}, and if a TTL is less than 1 ms} */
    public boolean isCached() {
        return cached
                && (softTtl == null || softTtl.compareTo(SHORTEST) >= 0)
                && (hardTtl == null || hardTtl.compareTo(SHORTEST) >= 0);
    }

    /** {@return the loaded value; {@code null} if there is none, or if the previous one was not modified} */
    public @Nullable V value() {
        return value;
    }

    /** {@return how long the value is fresh; {@code null} for the policy's soft TTL} */
    public @Nullable Duration softTtl() {
        return softTtl;
    }

    /** {@return the time after which the entry is removed; {@code null} for the policy's hard TTL} */
    public @Nullable Duration hardTtl() {
        return hardTtl;
    }

    /** {@return as of when the value was read, in milliseconds; {@code null} if after the load began} */
    public @Nullable Instant asOf() {
        return asOf;
    }

    /** {@return the tags by which the value can be invalidated, each once; unmodifiable} */
    public List<String> tags() {
        return tags;
    }

    /** Returns this result without the value, for logs. */
    @Override
    public String toString() {
        return "LoadedValue[" + (isNotModified ? "not modified" : value == null ? "none" : "a value") + ", softTtl="
                + softTtl + ", hardTtl=" + hardTtl + (asOf == null ? "" : ", asOf=" + asOf)
                + (tags.isEmpty() ? "" : ", tags=" + tags.size())
                + (isCached() ? "]" : ", not to be cached]");
    }
}
