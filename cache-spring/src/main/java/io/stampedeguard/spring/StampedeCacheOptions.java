package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.BytesCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.NearCacheOptionsBuilder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a cache. The functions that a manager is built with set them: first those for all caches, then those for the cache.
 * <em>Not thread-safe.</em>
 * <pre>{@code
 * StampedeCacheManager.builder(store)
 *         .defaults(cache -> cache.policy(policy -> policy.softTtl(ofMinutes(1))))
 *         .cache("products", cache -> cache.policy(policy -> policy.loadTimeout(ofSeconds(5))).nearMaximumSize(1_000))
 *         .build();
 * }</pre>
 */
public final class StampedeCacheOptions {
    /**
     * The exceptions after which a key cools down by default: those of infrastructure, which the next call is likely to meet again. An
     * answer of the origin in the form of an exception, such as "no such product", is returned to its callers, and not remembered.
     */
    public static final List<String> INFRASTRUCTURE_FAILURES = List.of(
            "java.io.IOException",
            "java.util.concurrent.TimeoutException",
            "java.sql.SQLException",
            "org.springframework.dao.TransientDataAccessException",
            "org.springframework.dao.RecoverableDataAccessException",
            "org.springframework.dao.NonTransientDataAccessResourceException",
            "org.springframework.transaction.CannotCreateTransactionException",
            "org.springframework.web.client.ResourceAccessException",
            "org.springframework.web.client.HttpServerErrorException",
            "org.springframework.web.reactive.function.client.WebClientRequestException");

    /** Whether callers share the object that a method has returned, or that the near cache has. */
    public enum Values {
        /** Shared if the type is immutable: strings, numbers, {@code java.time}, enums, and records of such; otherwise copied. */
        AUTO,
        /** Always shared: callers must not change values. */
        SHARED,
        /** Always copied, through the codec. */
        COPIED
    }

    /** How values are encoded. */
    public enum Format {
        /** JSON, by Jackson 3. */
        JSON,
        /** Java's serialization, for values that JSON cannot represent; only for stores to which nobody else writes. */
        JAVA
    }

    private static final int HIGHEST_VERSION = 65_535;
    private static final Pattern NAME = Pattern.compile("\\b[a-z]+(?:[A-Z][a-z]+)+\\b");
    private static final Pattern HUMP = Pattern.compile("[A-Z]");
    private static final Pattern LENGTH = Pattern.compile("(than )?(PT[-\\d.HMS]*[HMS])");

    private final CachePolicyBuilder policy = CachePolicy.builder();
    private final NearCacheOptionsBuilder near = NearCacheOptions.builder();
    private long nearMaximumSize;
    private boolean isReloadedInBackground = true;
    private Values values = Values.AUTO;
    private Format codec = Format.JSON;
    private int codecVersion = 1;
    private @Nullable Integer compressAbove;
    private boolean hasTypedKeys;
    private @Nullable KeyFilter<String> keyFilter;

    /**
     * Creates the default options.
     *
     * @param changeMemory for how long the store remembers changes by default
     */
    StampedeCacheOptions(Duration changeMemory) {
        policy.changeMemory(changeMemory);
        coolDownExceptions(INFRASTRUCTURE_FAILURES);
    }

    /**
     * Changes the policy. Its defaults are those of {@link CachePolicyBuilder}, with two exceptions: a key cools down only after {@link
     * #INFRASTRUCTURE_FAILURES}, and changes are remembered for one minute where the manager takes part in transactions that may read a
     * snapshot.
     *
     * @param settings calls of the builder
     * @return this
     */
    public StampedeCacheOptions policy(Consumer<? super CachePolicyBuilder> settings) {
        settings.accept(policy);
        return this;
    }

    /**
     * Sets how many values are also kept in this process. Default: 0, no near cache.
     *
     * @param entries at least 0
     * @return this
     */
    public StampedeCacheOptions nearMaximumSize(long entries) {
        nearMaximumSize = entries;
        return this;
    }

    /**
     * Sets the maximum time for which the near cache may answer with a value that another process has changed, if a message is lost.
     *
     * @param length as {@link NearCacheOptionsBuilder#maxStaleness} has it
     * @return this
     */
    public StampedeCacheOptions nearMaxStaleness(Duration length) {
        near.maxStaleness(length);
        return this;
    }

    /**
     * Sets whether methods are called in the background before a value is stale, and while it is. If not, a value is served until its
     * soft TTL, and the next caller waits: for methods whose arguments are of no use after the request. Default: true.
     *
     * @param enabled whether they are
     * @return this
     */
    public StampedeCacheOptions backgroundReload(boolean enabled) {
        isReloadedInBackground = enabled;
        return this;
    }

    /**
     * Sets after which exceptions of a method a key cools down, in addition to load time-outs. Default: failures of infrastructure,
     * {@link #INFRASTRUCTURE_FAILURES}.
     *
     * @param classNames the names of exceptions, whose subclasses count as well; classes need not exist
     * @return this
     */
    public StampedeCacheOptions coolDownExceptions(Collection<String> classNames) {
        policy.coolDownOn(failures(List.copyOf(classNames)));
        return this;
    }

    /**
     * Sets whether callers share values. Default: {@link Values#AUTO}.
     *
     * @param mode shared or copied
     * @return this
     */
    public StampedeCacheOptions values(Values mode) {
        values = requireNonNull(mode, "values");
        return this;
    }

    /**
     * Sets how values are encoded. Default: {@link Format#JSON}.
     *
     * @param format the format
     * @return this
     */
    public StampedeCacheOptions codec(Format format) {
        codec = requireNonNull(format, "codec");
        return this;
    }

    /**
     * Sets the version of the values; raise it if older processes cannot read what this one stores, or vice versa. Default: 1.
     *
     * @param version from 0 to 65,535
     * @return this
     * @throws IllegalArgumentException if it is out of this range
     */
    public StampedeCacheOptions codecVersion(int version) {
        if (version < 0 || version > HIGHEST_VERSION) {
            throw new IllegalArgumentException("codecVersion " + version + " is not between 0 and " + HIGHEST_VERSION);
        }
        codecVersion = version;
        return this;
    }

    /**
     * Sets from how many encoded bytes on values are compressed, which needs {@code at.yawk.lz4:lz4-java}: {@link
     * ValueCodec#compressed}. Default: none are.
     *
     * @param bytes not negative
     * @return this
     * @throws IllegalArgumentException if it is negative
     * @throws IllegalStateException if the jar is missing
     */
    public StampedeCacheOptions compressAbove(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("compressAbove " + bytes + " is negative");
        }
        ValueCodec.compressed(BytesCodec.of(), bytes); // checks the jar
        compressAbove = bytes;
        return this;
    }

    /**
     * Sets whether keys of different types are different keys, such as {@code 1} and {@code "1"}. Default: false.
     *
     * @param enabled whether they are
     * @return this
     */
    public StampedeCacheOptions typedKeys(boolean enabled) {
        hasTypedKeys = enabled;
        return this;
    }

    /**
     * Sets the filter of the existing keys, by their texts. Default: none.
     *
     * @param filter the filter; not closed with the cache
     * @return this
     */
    public StampedeCacheOptions keyFilter(KeyFilter<String> filter) {
        keyFilter = requireNonNull(filter, "keyFilter");
        return this;
    }

    Values values() {
        return values;
    }

    Format codec() {
        return codec;
    }

    int codecVersion() {
        return codecVersion;
    }

    /** Returns a codec, or the compressed one over it. */
    <V> ValueCodec<V> compressed(ValueCodec<V> of) {
        return compressAbove == null ? of : ValueCodec.compressed(of, compressAbove);
    }

    boolean hasTypedKeys() {
        return hasTypedKeys;
    }

    @Nullable
    KeyFilter<String> keyFilter() {
        return keyFilter;
    }

    /**
     * Returns the policy.
     *
     * @param prefix that of the properties of the cache
     * @throws IllegalArgumentException if settings contradict each other; the message names properties and values
     */
    CachePolicy policy(String prefix) {
        CachePolicy built = checked(prefix, policy::build);
        return isReloadedInBackground
                ? built
                : built.toBuilder().hardTtl(built.softTtl()).earlyRefresh(0).build();
    }

    /** Returns the near cache, {@code null} if there is none; throws as {@link #policy(String)}. */
    @Nullable
    NearCacheOptions near(String prefix) {
        NearCacheOptions checked = checked(prefix + "near.", () -> {
            if (nearMaximumSize < 0) {
                throw new IllegalArgumentException("maximumSize " + nearMaximumSize + " is negative");
            }
            return near.maximumSize(Math.max(1, nearMaximumSize)).build();
        });
        return nearMaximumSize == 0 ? null : checked;
    }

    /** Returns what is built; the message of an exception gets the names of properties. */
    static <T> T checked(String prefix, Supplier<T> build) {
        try {
            return build.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + ofProperties(String.valueOf(e.getMessage())) + ".", e);
        }
    }

    /** Returns a message of the core with names and lengths as configuration files have them: {@code hard-ttl (30s)}. */
    private static String ofProperties(String message) {
        String named = NAME.matcher(message)
                .replaceAll(name -> HUMP.matcher(name.group())
                        .replaceAll(hump -> "-" + hump.group().toLowerCase(Locale.ROOT)));
        return LENGTH.matcher(named).replaceAll(length -> {
            String text = text(Duration.parse(length.group(2)));
            return length.group(1) == null ? "(" + text + ")" : "than " + text;
        });
    }

    /** Returns whether an exception, or one of its superclasses, has one of the names: a class that is absent has no instances. */
    private static Predicate<Throwable> failures(List<String> classNames) {
        return failure -> {
            for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
                if (classNames.contains(type.getName())) {
                    return true;
                }
            }
            return false;
        };
    }

    /** Returns a length as configuration files have it. */
    static String text(Duration length) {
        long seconds = length.getSeconds();
        int nanos = length.getNano();
        if (nanos != 0) {
            BigDecimal millis = BigDecimal.valueOf(seconds, -3).add(BigDecimal.valueOf(nanos, 6));
            return millis.stripTrailingZeros().toPlainString() + "ms";
        }
        return seconds % 3_600 == 0 && seconds != 0
                ? seconds / 3_600 + "h"
                : seconds % 60 == 0 && seconds != 0 ? seconds / 60 + "m" : seconds + "s";
    }
}
