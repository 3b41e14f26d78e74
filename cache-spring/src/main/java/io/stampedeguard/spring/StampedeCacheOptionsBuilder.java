package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A builder of {@link StampedeCacheOptions}. What is not set is as in the manager's defaults, and what these do not set is as in {@link
 * io.stampedeguard.policy.CachePolicy}, whose builder documents each setting of that name. <em>Not thread-safe.</em>
 */
public final class StampedeCacheOptionsBuilder {
    @Nullable
    Duration softTtl;

    @Nullable
    Duration hardTtl;

    @Nullable
    Duration negativeTtl;

    @Nullable
    Double jitter;

    @Nullable
    Duration loadTimeout;

    @Nullable
    Duration waitTimeout;

    @Nullable
    Duration leaseTtl;

    @Nullable
    Integer maxConcurrentLoads;

    @Nullable
    Integer originBudget;

    @Nullable
    Long nearMaximumSize;

    @Nullable
    Duration nearMaxStaleness;

    @Nullable
    Boolean backgroundReload;

    @Nullable
    Duration failureCoolDown;

    @Nullable
    List<String> coolDownExceptions;

    @Nullable
    Values values;

    @Nullable
    Format codec;

    @Nullable
    Integer codecVersion;

    @Nullable
    Boolean typedKeys;

    @Nullable
    StoreFailureMode onStoreFailure;

    @Nullable
    Duration maxStalenessWhenDisconnected;

    @Nullable
    Duration changeMemory;

    @Nullable
    KeyFilter<String> keyFilter;

    StampedeCacheOptionsBuilder() {}

    /** Copies what the first one sets, and otherwise what the second one does. */
    StampedeCacheOptionsBuilder(StampedeCacheOptionsBuilder from, StampedeCacheOptionsBuilder otherwise) {
        softTtl = first(from.softTtl, otherwise.softTtl);
        hardTtl = first(from.hardTtl, otherwise.hardTtl);
        negativeTtl = first(from.negativeTtl, otherwise.negativeTtl);
        jitter = first(from.jitter, otherwise.jitter);
        loadTimeout = first(from.loadTimeout, otherwise.loadTimeout);
        waitTimeout = first(from.waitTimeout, otherwise.waitTimeout);
        leaseTtl = first(from.leaseTtl, otherwise.leaseTtl);
        maxConcurrentLoads = first(from.maxConcurrentLoads, otherwise.maxConcurrentLoads);
        originBudget = first(from.originBudget, otherwise.originBudget);
        nearMaximumSize = first(from.nearMaximumSize, otherwise.nearMaximumSize);
        nearMaxStaleness = first(from.nearMaxStaleness, otherwise.nearMaxStaleness);
        backgroundReload = first(from.backgroundReload, otherwise.backgroundReload);
        failureCoolDown = first(from.failureCoolDown, otherwise.failureCoolDown);
        coolDownExceptions = first(from.coolDownExceptions, otherwise.coolDownExceptions);
        values = first(from.values, otherwise.values);
        codec = first(from.codec, otherwise.codec);
        codecVersion = first(from.codecVersion, otherwise.codecVersion);
        typedKeys = first(from.typedKeys, otherwise.typedKeys);
        onStoreFailure = first(from.onStoreFailure, otherwise.onStoreFailure);
        maxStalenessWhenDisconnected = first(from.maxStalenessWhenDisconnected, otherwise.maxStalenessWhenDisconnected);
        changeMemory = first(from.changeMemory, otherwise.changeMemory);
        keyFilter = first(from.keyFilter, otherwise.keyFilter);
    }

    private static <T> @Nullable T first(@Nullable T value, @Nullable T otherwise) {
        return value == null ? otherwise : value;
    }

    /**
     * Sets how long a value is fresh. Default: 5 minutes.
     *
     * @param length at least 1 ms
     * @return this
     */
    public StampedeCacheOptionsBuilder softTtl(Duration length) {
        softTtl = requireNonNull(length, "softTtl");
        return this;
    }

    /**
     * Sets the time after which a value is removed. Default: twice the soft TTL.
     *
     * @param length at least the soft TTL
     * @return this
     */
    public StampedeCacheOptionsBuilder hardTtl(Duration length) {
        hardTtl = requireNonNull(length, "hardTtl");
        return this;
    }

    /**
     * Sets how long {@code null} and empty results are cached. Default: 30 seconds, or the soft TTL if that is shorter.
     *
     * @param length from zero, which stores none, to 5 minutes
     * @return this
     */
    public StampedeCacheOptionsBuilder negativeTtl(Duration length) {
        negativeTtl = requireNonNull(length, "negativeTtl");
        return this;
    }

    /**
     * Sets by how much the TTLs of each entry are shortened at random. Default: 0.1.
     *
     * @param share from 0 (inclusive) to 1 (exclusive)
     * @return this
     */
    public StampedeCacheOptionsBuilder jitter(double share) {
        jitter = share;
        return this;
    }

    /**
     * Sets how long a method may take; then its thread is interrupted. Default: 30 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public StampedeCacheOptionsBuilder loadTimeout(Duration length) {
        loadTimeout = requireNonNull(length, "loadTimeout");
        return this;
    }

    /**
     * Sets how long a caller waits for the load of another caller. Default: 10 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public StampedeCacheOptionsBuilder waitTimeout(Duration length) {
        waitTimeout = requireNonNull(length, "waitTimeout");
        return this;
    }

    /**
     * Sets how long others wait for a process that has crashed while it loaded. Default: 2 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public StampedeCacheOptionsBuilder leaseTtl(Duration length) {
        leaseTtl = requireNonNull(length, "leaseTtl");
        return this;
    }

    /**
     * Sets how many loads of the cache may run at once in this process. Default: 32.
     *
     * @param count at least 1
     * @return this
     */
    public StampedeCacheOptionsBuilder maxConcurrentLoads(int count) {
        maxConcurrentLoads = count;
        return this;
    }

    /**
     * Sets how many loads of the cache may run at once in the whole fleet. Default: no bound.
     *
     * @param count at least 1
     * @return this
     */
    public StampedeCacheOptionsBuilder originBudget(int count) {
        originBudget = count;
        return this;
    }

    /**
     * Sets how many values are also kept in this process. Default: 0, no near cache.
     *
     * @param entries at least 0
     * @return this
     */
    public StampedeCacheOptionsBuilder nearMaximumSize(long entries) {
        nearMaximumSize = entries;
        return this;
    }

    /**
     * Sets the maximum time for which the near cache may answer with a value that another process has changed, if a message is lost.
     *
     * @param length as {@link io.stampedeguard.policy.NearCacheOptionsBuilder#maxStaleness} has it
     * @return this
     */
    public StampedeCacheOptionsBuilder nearMaxStaleness(Duration length) {
        nearMaxStaleness = requireNonNull(length, "nearMaxStaleness");
        return this;
    }

    /**
     * Sets whether methods are called in the background before a value is stale, and while it is. If not, a value is served until its
     * soft TTL, and the next caller waits: for methods whose arguments are of no use after the request. Default: true.
     *
     * @param enabled whether they are
     * @return this
     */
    public StampedeCacheOptionsBuilder backgroundReload(boolean enabled) {
        backgroundReload = enabled;
        return this;
    }

    /**
     * Sets for how long a key is not loaded after its load has failed; it doubles with each failure, up to 25 times this length.
     * Default: 200 ms.
     *
     * @param first from zero, no cool-down, to 1 hour
     * @return this
     */
    public StampedeCacheOptionsBuilder failureCoolDown(Duration first) {
        failureCoolDown = requireNonNull(first, "failureCoolDown");
        return this;
    }

    /**
     * Sets after which exceptions of a method a key cools down, in addition to load time-outs. Default: failures of infrastructure,
     * {@link StampedeCacheOptions#INFRASTRUCTURE_FAILURES}.
     *
     * @param classNames the names of exceptions, whose subclasses count as well; classes need not exist
     * @return this
     */
    public StampedeCacheOptionsBuilder coolDownExceptions(Collection<String> classNames) {
        coolDownExceptions = List.copyOf(classNames);
        return this;
    }

    /**
     * Sets whether callers share values. Default: {@link Values#AUTO}.
     *
     * @param mode shared or copied
     * @return this
     */
    public StampedeCacheOptionsBuilder values(Values mode) {
        values = requireNonNull(mode, "values");
        return this;
    }

    /**
     * Sets how values are encoded. Default: {@link Format#JSON}.
     *
     * @param format the format
     * @return this
     */
    public StampedeCacheOptionsBuilder codec(Format format) {
        codec = requireNonNull(format, "codec");
        return this;
    }

    /**
     * Sets the version of the values; raise it if older processes cannot read what this one stores, or vice versa. Default: 1.
     *
     * @param version from 0 to 65,535
     * @return this
     */
    public StampedeCacheOptionsBuilder codecVersion(int version) {
        codecVersion = version;
        return this;
    }

    /**
     * Sets whether keys of different types are different keys, such as {@code 1} and {@code "1"}. Default: false.
     *
     * @param enabled whether they are
     * @return this
     */
    public StampedeCacheOptionsBuilder typedKeys(boolean enabled) {
        typedKeys = enabled;
        return this;
    }

    /**
     * Sets what changes do if the store does not answer. Default: {@link StoreFailureMode#QUEUE}.
     *
     * @param mode return normally, or throw
     * @return this
     */
    public StampedeCacheOptionsBuilder onStoreFailure(StoreFailureMode mode) {
        onStoreFailure = requireNonNull(mode, "onStoreFailure");
        return this;
    }

    /**
     * Sets for how long a process without a connection serves what it has in memory. Default: until the hard TTL.
     *
     * @param length at least zero
     * @return this
     */
    public StampedeCacheOptionsBuilder maxStalenessWhenDisconnected(Duration length) {
        maxStalenessWhenDisconnected = requireNonNull(length, "maxStalenessWhenDisconnected");
        return this;
    }

    /**
     * Sets for how long the store remembers when a key was changed, for loads in transactions that read a snapshot. Default: one minute
     * where the manager takes part in transactions, otherwise zero.
     *
     * @param length from zero to 1 hour; longer than any such transaction
     * @return this
     */
    public StampedeCacheOptionsBuilder changeMemory(Duration length) {
        changeMemory = requireNonNull(length, "changeMemory");
        return this;
    }

    /**
     * Sets the filter of the existing keys, by their texts. Default: none.
     *
     * @param filter the filter; not closed with the cache
     * @return this
     */
    public StampedeCacheOptionsBuilder keyFilter(KeyFilter<String> filter) {
        keyFilter = requireNonNull(filter, "keyFilter");
        return this;
    }

    /** {@return the options; they are checked when a cache is created} */
    public StampedeCacheOptions build() {
        return new StampedeCacheOptions(new StampedeCacheOptionsBuilder(this, this));
    }
}
