package io.stampedeguard.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a cache: how long entries live, how long callers wait, and how many loads run concurrently.
 * <em>Immutable.</em> The defaults suit database reads of milliseconds to seconds; each is documented at its setter.
 */
public final class CachePolicy {
    private static final Duration USUAL_NEGATIVE_TTL = Duration.ofSeconds(30);
    private static final CachePolicy DEFAULTS = builder().build();

    private final Duration softTtl;
    private final @Nullable Duration ownHardTtl;
    private final Duration hardTtl;
    private final double jitter;
    private final @Nullable Duration ownNegativeTtl;
    private final Duration negativeTtl;
    private final double earlyRefresh;
    private final double refreshAfter;
    private final Duration leaseTtl;
    private final Duration loadTimeout;
    private final Duration waitTimeout;
    private final Duration initialCoolDown;
    private final Duration maxCoolDown;
    private final WakeUp wakeUp;
    private final Duration initialPollInterval;
    private final Duration maxPollInterval;
    private final int maxConcurrentLoads;
    private final int maxPayloadBytes;

    CachePolicy(CachePolicyBuilder from) {
        this.softTtl = from.softTtl;
        this.ownHardTtl = from.hardTtl;
        this.hardTtl = from.hardTtl == null ? twice(from.softTtl) : from.hardTtl;
        this.jitter = from.jitter;
        this.ownNegativeTtl = from.negativeTtl;
        this.negativeTtl = from.negativeTtl == null ? usualNegativeTtl(from.softTtl) : from.negativeTtl;
        this.earlyRefresh = from.earlyRefresh;
        this.refreshAfter = from.refreshAfter;
        this.leaseTtl = from.leaseTtl;
        this.loadTimeout = from.loadTimeout;
        this.waitTimeout = from.waitTimeout;
        this.initialCoolDown = from.initialCoolDown;
        this.maxCoolDown = from.maxCoolDown;
        this.wakeUp = from.wakeUp;
        this.initialPollInterval = from.initialPollInterval;
        this.maxPollInterval = from.maxPollInterval;
        this.maxConcurrentLoads = from.maxConcurrentLoads;
        this.maxPayloadBytes = from.maxPayloadBytes;
    }

    /**
     * Returns the policy made of defaults only.
     *
     * @return the default policy
     */
    public static CachePolicy defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a builder with the defaults.
     *
     * @return a new builder
     */
    public static CachePolicyBuilder builder() {
        return new CachePolicyBuilder();
    }

    /**
     * Returns a builder with the settings of this policy.
     *
     * @return a new builder; a hard or negative TTL that was never set still follows the soft TTL
     */
    public CachePolicyBuilder toBuilder() {
        return new CachePolicyBuilder(this);
    }

    /**
     * Returns how long an entry is fresh.
     *
     * @return the soft TTL
     */
    public Duration softTtl() {
        return softTtl;
    }

    /**
     * Returns the time after which an entry is removed.
     *
     * @return the hard TTL, at least the soft TTL
     */
    public Duration hardTtl() {
        return hardTtl;
    }

    /**
     * Returns whether an entry may be served when it is no longer fresh.
     *
     * @return whether the hard TTL is longer than the soft TTL
     */
    public boolean servesStale() {
        return hardTtl.compareTo(softTtl) > 0;
    }

    /**
     * Returns the largest share by which the TTLs of an entry are shortened at random.
     *
     * @return from 0 (inclusive) to 1 (exclusive)
     */
    public double jitter() {
        return jitter;
    }

    /**
     * Returns how long the answer "the origin has none" is cached.
     *
     * @return the TTL of negative entries; zero if they are not cached
     */
    public Duration negativeTtl() {
        return negativeTtl;
    }

    /**
     * Returns how early entries are reloaded before they are stale.
     *
     * @return the β of XFetch; zero if early refresh is disabled
     */
    public double earlyRefresh() {
        return earlyRefresh;
    }

    /**
     * Returns the share of its soft TTL after which an entry is reloaded although it is fresh.
     *
     * @return from 0 (exclusive) to 1 (inclusive); 1 means never
     */
    public double refreshAfter() {
        return refreshAfter;
    }

    /**
     * Returns the time after which the lease of a crashed leader is free again.
     *
     * @return the lease's TTL
     */
    public Duration leaseTtl() {
        return leaseTtl;
    }

    /**
     * Returns how long the loader may take.
     *
     * @return the longest load
     */
    public Duration loadTimeout() {
        return loadTimeout;
    }

    /**
     * Returns the cool-down of a key after its load has failed once: the time for which no process of the fleet loads it.
     *
     * @return the initial cool-down; zero if there is none
     */
    public Duration initialCoolDown() {
        return initialCoolDown;
    }

    /**
     * Returns the upper bound of the cool-down.
     *
     * @return the maximum cool-down, at least the initial one
     */
    public Duration maxCoolDown() {
        return maxCoolDown;
    }

    /**
     * Returns how callers that wait for another process are notified that its load has ended.
     *
     * @return pushed or polled
     */
    public WakeUp wakeUp() {
        return wakeUp;
    }

    /**
     * Returns how long a caller waits for the load of another caller, or for a permit.
     *
     * @return the longest wait
     */
    public Duration waitTimeout() {
        return waitTimeout;
    }

    /**
     * Returns the upper bound of the first interval between polls.
     *
     * @return the initial bound
     */
    public Duration initialPollInterval() {
        return initialPollInterval;
    }

    /**
     * Returns the upper bound of all intervals between polls.
     *
     * @return the maximum bound
     */
    public Duration maxPollInterval() {
        return maxPollInterval;
    }

    /**
     * Returns how many loads of one cache may run concurrently in one process.
     *
     * @return at least 1
     */
    public int maxConcurrentLoads() {
        return maxConcurrentLoads;
    }

    /**
     * Returns how large an encoded value may be.
     *
     * @return bytes, at least 1
     */
    public int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    /** Returns the hard TTL that was set, or {@code null} if it follows the soft TTL. */
    @Nullable
    Duration ownHardTtl() {
        return ownHardTtl;
    }

    /** Returns the negative TTL that was set, or {@code null} if it follows the soft TTL. */
    @Nullable
    Duration ownNegativeTtl() {
        return ownNegativeTtl;
    }

    /** A new row should not be missed for longer than a changed row is stale. */
    private static Duration usualNegativeTtl(Duration softTtl) {
        return softTtl.compareTo(USUAL_NEGATIVE_TTL) < 0 ? softTtl : USUAL_NEGATIVE_TTL;
    }

    /** Doubles a duration, unless the result would overflow: then the check rejects the duration itself. */
    private static Duration twice(Duration length) {
        try {
            return length.multipliedBy(2);
        } catch (ArithmeticException e) {
            return length;
        }
    }

    /** Returns all settings, for logs. */
    @Override
    public String toString() {
        return settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(", ", "CachePolicy[", "]"));
    }

    /**
     * Returns the settings in which this policy differs from another one, for a message.
     *
     * @param other the other policy
     * @return such as {@code softTtl PT5M instead of PT10M}, one after another; empty if there is no difference
     */
    public String differenceFrom(CachePolicy other) {
        Map<String, Object> others = other.settings();
        return settings().entrySet().stream()
                .filter(setting -> !setting.getValue().equals(others.get(setting.getKey())))
                .map(setting ->
                        setting.getKey() + " " + setting.getValue() + " instead of " + others.get(setting.getKey()))
                .collect(Collectors.joining(", "));
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("softTtl", softTtl);
        settings.put("hardTtl", hardTtl);
        settings.put("jitter", jitter);
        settings.put("negativeTtl", negativeTtl);
        settings.put("earlyRefresh", earlyRefresh);
        settings.put("refreshAfter", refreshAfter);
        settings.put("leaseTtl", leaseTtl);
        settings.put("loadTimeout", loadTimeout);
        settings.put("waitTimeout", waitTimeout);
        settings.put("initialCoolDown", initialCoolDown);
        settings.put("maxCoolDown", maxCoolDown);
        settings.put("wakeUp", wakeUp);
        settings.put("initialPollInterval", initialPollInterval);
        settings.put("maxPollInterval", maxPollInterval);
        settings.put("maxConcurrentLoads", maxConcurrentLoads);
        settings.put("maxPayloadBytes", maxPayloadBytes);
        return settings;
    }
}
