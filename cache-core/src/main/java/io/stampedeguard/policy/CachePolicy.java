package io.stampedeguard.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a cache: how long entries live, how long callers wait, and how many loads run concurrently.
 * <em>Immutable.</em> The defaults suit database reads of milliseconds to seconds; each is documented at its setter.
 */
public final class CachePolicy {
    private static final Duration USUAL_NEGATIVE_TTL = Duration.ofSeconds(30);
    private static final int TIMES_THE_FIRST = 25;

    /** No cool-down and no interval between polls is longer. */
    static final Duration LONGEST_BACKOFF = Duration.ofHours(1);

    private static final CachePolicy DEFAULTS = builder().build();

    /** What was set; a copy that nobody changes. */
    private final CachePolicyBuilder set;

    private final Duration hardTtl;
    private final Duration negativeTtl;

    CachePolicy(CachePolicyBuilder from) {
        this.set = new CachePolicyBuilder(from);
        this.hardTtl = set.hardTtl == null ? twice(set.softTtl) : set.hardTtl;
        this.negativeTtl = set.negativeTtl == null ? usualNegativeTtl(set.softTtl) : set.negativeTtl;
    }

    /** {@return the policy made of defaults only} */
    public static CachePolicy defaults() {
        return DEFAULTS;
    }

    /** {@return a new builder with the defaults} */
    public static CachePolicyBuilder builder() {
        return new CachePolicyBuilder();
    }

    /** {@return a new builder with these settings; a hard or negative TTL that was never set still follows the soft TTL} */
    public CachePolicyBuilder toBuilder() {
        return new CachePolicyBuilder(set);
    }

    /** {@return the soft TTL: how long an entry is fresh} */
    public Duration softTtl() {
        return set.softTtl;
    }

    /** {@return the hard TTL, after which an entry is removed; at least the soft TTL} */
    public Duration hardTtl() {
        return hardTtl;
    }

    /** {@return whether entries may be served when they are no longer fresh: whether the hard TTL is longer than the soft one} */
    public boolean servesStale() {
        return hardTtl.compareTo(set.softTtl) > 0;
    }

    /** {@return the largest share by which an entry's TTLs are shortened at random, from 0 (inclusive) to 1 (exclusive)} */
    public double jitter() {
        return set.jitter;
    }

    /** {@return how long the answer "the origin has none" is cached; zero if it is not} */
    public Duration negativeTtl() {
        return negativeTtl;
    }

    /** {@return how early entries are reloaded before they are stale: the β of XFetch; zero if early refresh is disabled} */
    public double earlyRefresh() {
        return set.earlyRefresh;
    }

    /** {@return the time after which the lease of a crashed leader is free again} */
    public Duration leaseTtl() {
        return set.leaseTtl;
    }

    /** {@return how long the loader may take} */
    public Duration loadTimeout() {
        return set.loadTimeout;
    }

    /** {@return the time for which no process loads a key after its load has failed once; zero if there is no cool-down} */
    public Duration failureCoolDown() {
        return set.failureCoolDown;
    }

    /** {@return after which failures of the loader a key cools down, if there is a cool-down} */
    public Predicate<? super Throwable> coolDownOn() {
        return set.coolDownOn;
    }

    /** {@return the longest cool-down: 25 times the first one, at most 1 hour} */
    public Duration maxCoolDown() {
        return longest(set.failureCoolDown);
    }

    /** {@return how long a caller waits for the load of another caller, or for a permit} */
    public Duration waitTimeout() {
        return set.waitTimeout;
    }

    /** {@return the upper bound of the first interval between polls} */
    public Duration poll() {
        return set.poll;
    }

    /** {@return the upper bound of all intervals between polls: 25 times the first one, at most 1 hour} */
    public Duration maxPollInterval() {
        return longest(set.poll);
    }

    /**
     * {@return for how long a process without a connection to the store serves an entry since it was last known to be current; the
     * hard TTL, which ends it in any case, if it was not set}
     */
    public Duration maxStalenessWhenDisconnected() {
        return set.maxStalenessWhenDisconnected == null ? hardTtl : set.maxStalenessWhenDisconnected;
    }

    /** {@return how many loads of one cache may run concurrently in one process, at least 1} */
    public int maxConcurrentLoads() {
        return set.maxConcurrentLoads;
    }

    /** {@return how many loads of one cache may run concurrently in the whole fleet, at least 1; {@code null} without a budget} */
    public @Nullable Integer originBudget() {
        return set.originBudget;
    }

    /** {@return whether the cache sheds loads while the origin is under strain} */
    public boolean originGuard() {
        return set.originGuard;
    }

    /** {@return how large an encoded value may be, in bytes, at least 1} */
    public int maxPayloadBytes() {
        return set.maxPayloadBytes;
    }

    /** {@return for how long the store remembers when a key was changed; zero if it does not} */
    public Duration changeMemory() {
        return set.changeMemory;
    }

    /** {@return what changes do if the store does not answer: return or throw; they are queued in any case} */
    public StoreFailureMode onStoreFailure() {
        return set.onStoreFailure;
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

    /** Returns the last of the lengths that double from a first one. */
    private static Duration longest(Duration first) {
        Duration last = first.multipliedBy(TIMES_THE_FIRST);
        return last.compareTo(LONGEST_BACKOFF) < 0 ? last : LONGEST_BACKOFF;
    }

    /** Returns all settings, for logs. */
    @Override
    public String toString() {
        return settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(", ", "CachePolicy[", "]"));
    }

    /**
     * {@return the settings in which this policy differs from another one, for a message, such as {@code softTtl PT5M instead of
     * PT10M}, one after another; empty if there is no difference} Two predicates of {@code coolDownOn} do not count as different.
     *
     * @param other the other policy
     */
    public String differenceFrom(CachePolicy other) {
        if (other == this) {
            return "";
        }
        Map<String, Object> others = other.settings();
        return settings().entrySet().stream()
                .filter(setting -> !setting.getValue().equals(others.get(setting.getKey())))
                .map(setting ->
                        setting.getKey() + " " + setting.getValue() + " instead of " + others.get(setting.getKey()))
                .collect(Collectors.joining(", "));
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("softTtl", set.softTtl);
        settings.put("hardTtl", hardTtl);
        settings.put("jitter", set.jitter);
        settings.put("negativeTtl", negativeTtl);
        settings.put("earlyRefresh", set.earlyRefresh);
        settings.put("leaseTtl", set.leaseTtl);
        settings.put("loadTimeout", set.loadTimeout);
        settings.put("waitTimeout", set.waitTimeout);
        settings.put("failureCoolDown", set.failureCoolDown);
        settings.put(
                "coolDownOn",
                set.coolDownOn.equals(CachePolicyBuilder.ALL_FAILURES) ? "all failures" : "some failures");
        settings.put("poll", set.poll);
        settings.put("maxStalenessWhenDisconnected", maxStalenessWhenDisconnected());
        settings.put("maxConcurrentLoads", set.maxConcurrentLoads);
        settings.put("originBudget", set.originBudget == null ? "none" : set.originBudget);
        settings.put("originGuard", set.originGuard);
        settings.put("maxPayloadBytes", set.maxPayloadBytes);
        settings.put("changeMemory", set.changeMemory);
        settings.put("onStoreFailure", set.onStoreFailure);
        return settings;
    }
}
