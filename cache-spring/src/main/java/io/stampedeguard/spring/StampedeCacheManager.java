package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.GuardedCaches;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.spring.TransactionOptions.Isolation;
import io.stampedeguard.spring.internal.call.CallerInvocation;
import io.stampedeguard.spring.internal.call.Changes;
import io.stampedeguard.spring.internal.call.GuardedCache;
import io.stampedeguard.spring.internal.key.CacheNames;
import io.stampedeguard.spring.internal.key.KeyTexts;
import io.stampedeguard.spring.internal.key.KeyUses;
import io.stampedeguard.spring.internal.transaction.Transactions;
import io.stampedeguard.spring.internal.value.TypedValue;
import io.stampedeguard.spring.internal.value.ValueTypes;
import io.stampedeguard.store.CacheStore;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cache.CacheManager;

/**
 * A manager of caches whose loads are guarded in the whole fleet: one caller computes a value, the others wait for it. A cache is created
 * when it is first requested, and shares its entries with caches of that name in other processes. <em>Thread-safe.</em>
 * <pre>{@code
 * @Configuration
 * @EnableCaching
 * @Import(StampedeCachingConfiguration.class)
 * class CacheConfiguration {
 *     @Bean(destroyMethod = "close")
 *     RedisStore store() {
 *         return RedisStore.builder().keyPrefix("shop:").connect("redis://localhost:6379");
 *     }
 *
 *     @Bean
 *     StampedeCacheManager cacheManager(RedisStore store) {
 *         return StampedeCacheManager.builder(store).build();
 *     }
 * }
 * }</pre>
 */
public final class StampedeCacheManager implements CacheManager, AutoCloseable {
    /** For loads that read a snapshot; longer than almost any transaction. */
    private static final Duration CHANGE_MEMORY = Duration.ofMinutes(1);

    private final StampedeCacheManagerBuilder options;
    private final GuardedCaches guardedCaches;
    private final Transactions transactions;
    private final Changes changes = new Changes();
    private final Map<String, StampedeCache> caches = new ConcurrentHashMap<>();

    StampedeCacheManager(StampedeCacheManagerBuilder options) {
        this.options = options;
        this.guardedCaches = GuardedCaches.over(options.store);
        this.transactions = Transactions.of(options.transactions);
    }

    /**
     * {@return a new builder}
     *
     * @param store the store that the fleet shares; not closed with the manager
     */
    public static StampedeCacheManagerBuilder builder(CacheStore store) {
        return new StampedeCacheManagerBuilder(store);
    }

    /**
     * {@return the cache of a name, which is created if there is none} Does not block.
     *
     * @param name the name
     * @throws IllegalStateException if this manager is closed
     */
    @Override
    public StampedeCache getCache(String name) {
        StampedeCache known = caches.get(name);
        if (known != null) {
            return known;
        }
        StampedeCache[] created = new StampedeCache[1];
        StampedeCache cache = caches.computeIfAbsent(name, missing -> created[0] = create(missing));
        if (created[0] != null) {
            options.observers.forEach(observer -> observer.accept(cache));
        }
        return cache;
    }

    private StampedeCache create(String name) {
        StampedeCacheOptions of = options.of(name, readsSnapshots() ? CHANGE_MEMORY : Duration.ZERO);
        ValueTypes values = new ValueTypes(options.codecs);
        CallerInvocation carrier = new CallerInvocation(options.contextCarrier);
        StampedeGuardedCacheBuilder<String, TypedValue> builder = guardedCaches
                .cache(
                        CacheNames.coreName(name),
                        String.class,
                        of.compressed(values.codec(name, of.values(), of.codec(), of.codecVersion())))
                .policy(of.policy(CacheNames.property(name, "")))
                .contextCarrier(carrier);
        NearCacheOptions near = of.near(CacheNames.property(name, ""));
        if (near != null) {
            builder.nearCache(near);
        }
        KeyFilter<String> filter = of.keyFilter();
        if (filter != null) {
            builder.keyFilter(filter);
        }
        options.configurers.forEach(configurer -> configurer.accept(builder));
        return new StampedeCache(new GuardedCache(
                name,
                builder.build(),
                values,
                new KeyTexts(options.keyConverters, of.hasTypedKeys()),
                new KeyUses(name, of.hasTypedKeys()),
                transactions,
                (key, loaded) -> customized(name, key, loaded),
                changes,
                carrier));
    }

    /** Returns whether loads may read a snapshot that is older than a change. */
    private boolean readsSnapshots() {
        return !transactions.equals(Transactions.none()) && options.transactions.isolation() != Isolation.STATEMENT;
    }

    private LoadedValue<Object> customized(String name, Object key, LoadedValue<Object> loaded) {
        LoadedValue<Object> result = loaded;
        for (StampedeCacheCustomizer customizer : options.customizers) {
            result = customizer.customize(name, key, result);
        }
        return result;
    }

    /** {@return the names of the caches that have options, or have been created} */
    @Override
    public Collection<String> getCacheNames() {
        Set<String> names = new LinkedHashSet<>(options.caches.keySet());
        names.addAll(caches.keySet());
        return Collections.unmodifiableSet(names);
    }

    /** Removes all keys of all caches that have been created. */
    @Override
    public void resetCaches() {
        caches.values().forEach(StampedeCache::clear);
    }

    /**
     * {@return a cache for code, with the entries of the annotated methods that use the cache of this name, and whose values have this
     * type}
     *
     * @param name the name of the cache
     * @param keyType the type of the keys
     * @param valueType the type of the values
     * @param <K> the type of the keys
     * @param <V> the type of the values
     */
    public <K, V> TypedCache<K, V> typed(String name, Class<K> keyType, Class<V> valueType) {
        requireNonNull(keyType, "keyType");
        return new TypedCache<>(getCache(name).guarded(), valueType);
    }

    /** {@return a new map of the guarded caches that have been created, by the names of the Spring caches} */
    public Map<String, StampedeGuardedCache<String, ?>> coreCaches() {
        Map<String, StampedeGuardedCache<String, ?>> all = new TreeMap<>();
        caches.forEach((name, cache) -> all.put(name, cache.getNativeCache()));
        return all;
    }

    /** {@return the store} */
    public CacheStore store() {
        return options.store;
    }

    /** {@return which annotations are guarded} */
    public Guard guard() {
        return options.guard;
    }

    /**
     * Closes all caches. Waits for changes that were handed over, for 10 seconds at most or until this thread is interrupted; then a
     * clear of each cache replaces those that have not begun, for which this call waits for 2 more seconds at most. Then waits for loads,
     * as {@link StampedeGuardedCache#close} documents. The store stays open. Further calls do nothing.
     */
    @Override
    public void close() {
        changes.close();
        guardedCaches.close();
    }
}
