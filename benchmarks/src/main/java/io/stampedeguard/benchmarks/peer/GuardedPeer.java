package io.stampedeguard.benchmarks.peer;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreBuilder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * {@code StampedeGuardedCache} as in its README: a store with its own connections and the default options, unless a
 * workload sets others.
 */
public class GuardedPeer implements Peer {
    private static final int HARD_TTLS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String PROPERTY = "io.stampedeguard.redis.";

    private final RedisStore store;
    private final StampedeGuardedCache<String, String> cache;
    private final GuardedCounts counts = new GuardedCounts();

    GuardedPeer(RedisStore store, StampedeGuardedCacheBuilder<String, String> builder) {
        this.store = store;
        this.cache =
                builder.store(store).codec(StringCodec.of()).listener(counts).build();
    }

    /** Returns the way to open a peer with some more parts than the default ones. */
    static PeerKind.Opening with(String name, UnaryOperator<StampedeGuardedCacheBuilder<String, String>> parts) {
        return (redisUri, options) -> new GuardedPeer(
                store(redisUri, options),
                parts.apply(StampedeGuardedCache.<String, String>builder(name)
                        .policy(policyOf(options).build())));
    }

    /** Connects; what the measurements are to do without is switched off by system properties, which the store reads once. */
    public static RedisStore store(String redisUri, PeerOptions options) {
        return store(redisUri, options, "");
    }

    /** As above, with a prefix of the keys in Redis. */
    public static RedisStore store(String redisUri, PeerOptions options, String keyPrefix) {
        System.setProperty(PROPERTY + "combineReads", String.valueOf(!options.singly()));
        System.setProperty(PROPERTY + "circuitBreaker", String.valueOf(!options.patient()));
        return storeOptions(options).keyPrefix(keyPrefix).connect(redisUri);
    }

    private static RedisStoreBuilder storeOptions(PeerOptions options) {
        RedisStoreBuilder store = RedisStore.builder();
        if (options.connections() != null) {
            store.maxConnections(options.connections());
        }
        if (options.patient()) {
            store.commandTimeout(PATIENCE);
        }
        return store;
    }

    static CachePolicyBuilder policyOf(PeerOptions options) {
        return withOptions(CachePolicy.builder(), options);
    }

    /** Sets the options in a policy. No jitter if a TTL is given: it would make the TTL shorter than that of the other peers. */
    public static CachePolicyBuilder withOptions(CachePolicyBuilder policy, PeerOptions options) {
        if (options.ttl() != null) {
            Duration usual = options.ttl().multipliedBy(HARD_TTLS);
            policy.softTtl(options.ttl())
                    .hardTtl(options.hardTtl() == null ? usual : options.hardTtl())
                    .jitter(0);
        }
        if (options.patient()) {
            policy.leaseTtl(PATIENCE).waitTimeout(PATIENCE.multipliedBy(3));
        }
        return options.negativeTtl() == null ? policy : policy.negativeTtl(options.negativeTtl());
    }

    @Override
    public @Nullable String get(String key, Load load) {
        return cache.get(key, load::load);
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) {
        return cache.getAll(keys, load::loadAll).values();
    }

    @Override
    public void remove(String key) {
        cache.invalidate(key);
    }

    @Override
    public void clear() {
        cache.invalidateAll();
    }

    @Override
    public OptionalLong waits() {
        return counts.waits();
    }

    @Override
    public Map<String, Long> unleasedLoads() {
        return counts.unleasedLoads();
    }

    @Override
    public String breaker() {
        return breakerOf(store);
    }

    /** Returns the state of the circuit breaker of a store, in one word. */
    public static String breakerOf(RedisStore store) {
        return requireNonNull(store.shared().ability(BreakerEvents.class))
                .breaker()
                .name();
    }

    @Override
    public void close() {
        cache.close();
        store.close();
    }
}
