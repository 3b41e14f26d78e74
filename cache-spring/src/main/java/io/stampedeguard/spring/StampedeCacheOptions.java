package io.stampedeguard.spring;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.NearCacheOptionsBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a cache, or the defaults of all caches of a manager. What is not set is left to the defaults. <em>Immutable.</em>
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

    private static final Duration USUAL_MEMORY = Duration.ofMinutes(1);
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z])[A-Z]");

    final StampedeCacheOptionsBuilder set;

    StampedeCacheOptions(StampedeCacheOptionsBuilder set) {
        this.set = set;
    }

    /** {@return a new builder, in which nothing is set} */
    public static StampedeCacheOptionsBuilder builder() {
        return new StampedeCacheOptionsBuilder();
    }

    /** {@return a new builder with these options} */
    public StampedeCacheOptionsBuilder toBuilder() {
        return new StampedeCacheOptionsBuilder(set, set);
    }

    /** Returns these options, and where they set nothing, the defaults. */
    StampedeCacheOptions over(StampedeCacheOptions defaults) {
        return new StampedeCacheOptions(new StampedeCacheOptionsBuilder(set, defaults.set));
    }

    Values values() {
        return set.values == null ? Values.AUTO : set.values;
    }

    Format codec() {
        return set.codec == null ? Format.JSON : set.codec;
    }

    int codecVersion() {
        return set.codecVersion == null ? 1 : set.codecVersion;
    }

    boolean typedKeys() {
        return set.typedKeys != null && set.typedKeys;
    }

    /** Throws an exception that names properties, values, and the remedy, if the options contradict each other. */
    void check(String prefix) {
        policy(prefix, false);
        near(prefix);
    }

    /** Returns the policy of a cache; {@code prefix} is that of its properties, and {@code readsSnapshots} whether loads may do so. */
    CachePolicy policy(String prefix, boolean readsSnapshots) {
        CachePolicyBuilder policy = CachePolicy.builder();
        apply(set.softTtl, policy::softTtl);
        apply(set.hardTtl, policy::hardTtl);
        apply(set.negativeTtl, policy::negativeTtl);
        apply(set.jitter, policy::jitter);
        apply(set.loadTimeout, policy::loadTimeout);
        apply(set.waitTimeout, policy::waitTimeout);
        apply(set.leaseTtl, policy::leaseTtl);
        apply(set.maxConcurrentLoads, policy::maxConcurrentLoads);
        apply(set.originBudget, policy::originBudget);
        apply(set.failureCoolDown, policy::failureCoolDown);
        apply(set.onStoreFailure, policy::onStoreFailure);
        apply(set.maxStalenessWhenDisconnected, policy::maxStalenessWhenDisconnected);
        policy.changeMemory(
                set.changeMemory != null ? set.changeMemory : readsSnapshots ? USUAL_MEMORY : Duration.ZERO);
        policy.coolDownOn(failures(set.coolDownExceptions == null ? INFRASTRUCTURE_FAILURES : set.coolDownExceptions));
        Duration softTtl = set.softTtl == null ? CachePolicy.defaults().softTtl() : set.softTtl;
        if (set.hardTtl != null && set.hardTtl.compareTo(softTtl) < 0) {
            throw new IllegalArgumentException(
                    prefix + "hard-ttl (" + text(set.hardTtl) + ") is shorter than soft-ttl (" + text(softTtl)
                            + "). Raise it, or remove it: it is twice soft-ttl by default.");
        }
        if (set.backgroundReload != null && !set.backgroundReload) {
            policy.hardTtl(softTtl).earlyRefresh(0);
        }
        try {
            return policy.build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + withHyphens(String.valueOf(e.getMessage())) + ".", e);
        }
    }

    /** Returns the near cache; {@code null} if there is none. */
    @Nullable
    NearCacheOptions near(String prefix) {
        if (set.nearMaximumSize == null || set.nearMaximumSize == 0) {
            return null;
        }
        try {
            NearCacheOptionsBuilder near = NearCacheOptions.builder().maximumSize(set.nearMaximumSize);
            apply(set.nearMaxStaleness, near::maxStaleness);
            return near.build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + "near." + withHyphens(String.valueOf(e.getMessage())) + ".", e);
        }
    }

    private static <T> void apply(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
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

    private static String withHyphens(String message) {
        int end = message.indexOf(' ');
        String name = HUMP.matcher(message.substring(0, Math.max(end, 0)))
                .replaceAll(hump -> "-" + hump.group().toLowerCase(Locale.ROOT));
        return name + message.substring(Math.max(end, 0));
    }

    /** Returns a duration as configuration files have it, such as {@code 30s}. */
    static String text(Duration length) {
        long millis = length.toMillis();
        if (millis % 60_000 == 0 && millis != 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
