package io.stampedeguard.spring.boot;

import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.spring.Guard;
import io.stampedeguard.spring.StampedeCacheOptions;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import io.stampedeguard.spring.TransactionOptions.Changes;
import io.stampedeguard.spring.TransactionOptions.Isolation;
import io.stampedeguard.spring.TransactionOptions.Loads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * The properties under {@code stampede}. What is {@code null} is not set: then the core's default applies, or the one of {@code
 * defaults} for a single cache. Other properties fail the start, except those of the system and its environment, which may be others'.
 *
 * @param enabled Whether every @Cacheable method is put on a guarded cache.
 * @param guard Which methods are guarded.
 * @param store Where entries are stored.
 * @param keyPrefix Prefix of all Redis keys; by default spring.application.name and a colon, so that two applications on one Redis
 *     never share entries by accident.
 * @param redis The connection to Redis.
 * @param transactions How caches take part in transactions.
 * @param defaults Settings of all caches.
 * @param caches Settings of single caches, by name, over those of all.
 * @param metrics The meters of the caches.
 * @param observations The observations of the caches.
 */
@ConfigurationProperties(prefix = "stampede", ignoreUnknownFields = false)
record StampedeProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("all") Guard guard,
        @DefaultValue("redis") Store store,
        @Nullable String keyPrefix,
        @DefaultValue Redis redis,
        @DefaultValue Transactions transactions,
        @DefaultValue CacheSettings defaults,
        @DefaultValue Map<String, CacheSettings> caches,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations) {

    /** Where entries are stored. */
    enum Store {
        /** In Redis, for all processes of the application. */
        REDIS,
        /** In the memory of this process, for tests. */
        IN_MEMORY
    }

    /**
     * The connection to Redis. Without a URL it is the one of Boot's Redis module, if that is there.
     *
     * @param url URL of the server, the Sentinels, or the cluster; overrides the connection under spring.data.redis. Forms:
     *     redis://user:password@host:port/database, redis-sentinel://host,host/master, redis-cluster://host,host; with rediss, each
     *     uses TLS.
     * @param username User name, if the URL has none.
     * @param password Password, if the URL has none.
     * @param sslBundle Name of the SSL bundle whose certificates a rediss URL uses.
     * @param verifyHostname Whether the server's certificate must name the host.
     * @param commandTimeout How long to wait for an answer, and for a new connection; by default spring.data.redis.timeout, or 1s.
     * @param maxConnections How many connections are used at once, on a cluster to each master.
     * @param clientName Name by which CLIENT LIST shows the connections; by default spring.data.redis.client-name.
     * @param failFast Whether the application fails to start if Redis does not answer.
     */
    record Redis(
            @Nullable String url,
            @Nullable String username,
            @Nullable String password,
            @Nullable String sslBundle,
            @DefaultValue("true") boolean verifyHostname,
            @Nullable Duration commandTimeout,
            @DefaultValue("64") int maxConnections,
            @Nullable String clientName,
            @DefaultValue("false") boolean failFast) {}

    /**
     * Meters.
     *
     * @param histograms Whether timers publish histograms; about four times as many time series.
     */
    record Metrics(@DefaultValue("false") boolean histograms) {}

    /**
     * Observations.
     *
     * @param enabled Whether each load, wait, and call of the store is observed: the spans of a trace.
     */
    record Observations(@DefaultValue("true") boolean enabled) {}

    /**
     * How caches take part in transactions.
     *
     * @param loads What becomes of values that are loaded in a read-write transaction.
     * @param changes When changes take effect.
     * @param isolation Whether transactions read a snapshot of the database.
     * @param maxWait How long a caller in a transaction waits for another caller's load; then it calls the method itself.
     */
    record Transactions(
            @DefaultValue("evict-on-rollback") Loads loads,
            @DefaultValue("after-commit") Changes changes,
            @DefaultValue("auto") Isolation isolation,
            @Name("wait") @DefaultValue("1s") Duration maxWait) {}

    /**
     * The settings of all caches, or of one.
     *
     * @param softTtl How long an entry is fresh; then it is served stale while it is reloaded.
     * @param hardTtl When an entry is removed; by default twice soft-ttl. Equal to soft-ttl: never serve stale.
     * @param negativeTtl How long it is remembered that a method returned nothing; 0: not at all.
     * @param jitter Share by which TTLs are shortened at random, from 0 to 1.
     * @param loadTimeout How long a method may take; then it is interrupted.
     * @param waitTimeout How long a caller waits for another caller's load.
     * @param leaseTtl How long others wait if the loading process crashes.
     * @param maxConcurrentLoads How many loads of a cache run at once in one process.
     * @param originBudget How many loads of a cache run at once in all processes; unlimited by default.
     * @param near Entries that are also kept in the memory of each process.
     * @param backgroundReload Whether methods are called in the background; false if their arguments do not outlive the request.
     * @param failureCoolDown How long a key is not loaded after a failure; doubles up to 25 times this. 0: no cool-down.
     * @param coolDownExceptions Class names of exceptions after which a key cools down, subclasses included; by default failures of
     *     infrastructure.
     * @param values Whether callers share a value or get copies of it; auto: copies unless its type is immutable.
     * @param codec How values are encoded.
     * @param codecVersion Version of the values; raise it if stored values cannot be read any more.
     * @param compressAbove From how many encoded bytes on values are compressed, by at.yawk.lz4:lz4-java; none are by default.
     * @param typedKeys Whether keys of different types are different keys, such as 1 and "1".
     * @param onStoreFailure What a change does while Redis does not answer; it is queued in any case, and a change after a commit
     *     throws nothing.
     * @param maxStalenessWhenDisconnected For how long entries in memory are served while Redis does not answer; until hard-ttl by
     *     default.
     * @param changeMemory For how long changes are remembered, for loads in transactions that read a snapshot; 1m if caches take
     *     part in transactions.
     * @param keyFilter Name of a KeyFilter bean that knows which keys exist.
     */
    record CacheSettings(
            @Nullable Duration softTtl,
            @Nullable Duration hardTtl,
            @Nullable Duration negativeTtl,
            @Nullable Double jitter,
            @Nullable Duration loadTimeout,
            @Nullable Duration waitTimeout,
            @Nullable Duration leaseTtl,
            @Nullable Integer maxConcurrentLoads,
            @Nullable Integer originBudget,
            @DefaultValue Near near,
            @Nullable Boolean backgroundReload,
            @Nullable Duration failureCoolDown,
            @Nullable List<String> coolDownExceptions,
            @Nullable Values values,
            @Nullable Format codec,
            @Nullable Integer codecVersion,
            @Nullable DataSize compressAbove,
            @Nullable Boolean typedKeys,
            @Nullable StoreFailureMode onStoreFailure,
            @Nullable Duration maxStalenessWhenDisconnected,
            @Nullable Duration changeMemory,
            @Nullable String keyFilter) {

        /**
         * Sets the options for which a property is set.
         *
         * @param filter the bean that {@code keyFilter} names
         */
        void applyTo(StampedeCacheOptions options, @Nullable KeyFilter<String> filter) {
            options.policy(this::applyTo);
            apply(near.maximumSize, options::nearMaximumSize);
            apply(near.maxStaleness, options::nearMaxStaleness);
            apply(backgroundReload, options::backgroundReload);
            apply(coolDownExceptions, options::coolDownExceptions);
            apply(values, options::values);
            apply(codec, options::codec);
            apply(codecVersion, options::codecVersion);
            apply(compressAbove, size -> options.compressAbove(bytes("compressAbove", size)));
            apply(typedKeys, options::typedKeys);
            apply(filter, options::keyFilter);
        }

        private void applyTo(CachePolicyBuilder policy) {
            apply(softTtl, policy::softTtl);
            apply(hardTtl, policy::hardTtl);
            apply(negativeTtl, policy::negativeTtl);
            apply(jitter, policy::jitter);
            apply(loadTimeout, policy::loadTimeout);
            apply(waitTimeout, policy::waitTimeout);
            apply(leaseTtl, policy::leaseTtl);
            apply(maxConcurrentLoads, policy::maxConcurrentLoads);
            apply(originBudget, policy::originBudget);
            apply(failureCoolDown, policy::failureCoolDown);
            apply(onStoreFailure, policy::onStoreFailure);
            apply(maxStalenessWhenDisconnected, policy::maxStalenessWhenDisconnected);
            apply(changeMemory, policy::changeMemory);
        }

        /** Returns a size in bytes; no value is larger than the greatest one. */
        private static int bytes(String name, DataSize size) {
            if (size.isNegative()) {
                throw new IllegalArgumentException(name + " " + size.toBytes() + " is negative");
            }
            return (int) Math.min(Integer.MAX_VALUE, size.toBytes());
        }

        private static <T> void apply(@Nullable T value, Consumer<? super T> setter) {
            if (value != null) {
                setter.accept(value);
            }
        }
    }

    /**
     * The near cache.
     *
     * @param maximumSize Maximum number of values; 0: no near cache.
     * @param maxStaleness How long an entry may be served after another process has changed it, if its message was lost.
     */
    record Near(@Nullable Long maximumSize, @Nullable Duration maxStaleness) {}
}
