package io.stampedeguard.benchmarks.peers.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Spring Data Redis as in its page "Redis Cache": {@code RedisCacheManager} with a TTL, the default cache writer, which does not
 * lock, or the locking one, called as {@code @Cacheable(sync = true)} does, and Lettuce with the one shared connection of
 * {@code LettuceConnectionFactory}. Values are stored as strings; absence is cached, for the TTL.
 */
final class SpringPeer implements Peer {
    private final LettuceConnectionFactory connections;
    private final Cache cache;

    private SpringPeer(
            LettuceConnectionFactory connections,
            Function<RedisConnectionFactory, RedisCacheWriter> writer,
            String name,
            Duration ttl) {
        this.connections = connections;
        connections.afterPropertiesSet();
        connections.start();
        RedisCacheManager caches = RedisCacheManager.builder(writer.apply(connections))
                .cacheDefaults(RedisCacheConfiguration.defaultCacheConfig()
                        .entryTtl(ttl)
                        .serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.string())))
                .build();
        caches.afterPropertiesSet();
        this.cache = requireNonNull(caches.getCache(name));
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening named(String name, Function<RedisConnectionFactory, RedisCacheWriter> writer) {
        return (redisUri, options) -> new SpringPeer(
                new LettuceConnectionFactory(LettuceConnectionFactory.createRedisConfiguration(redisUri)),
                writer,
                name,
                options.ttlOrUsual());
    }

    @Override
    public @Nullable String get(String key, Load load) {
        return cache.get(key, () -> load.load(key));
    }

    /** Unlike {@code evict}, it has removed the key when it returns. */
    @Override
    public void remove(String key) {
        cache.evictIfPresent(key);
    }

    /** Unlike {@code clear}, it has removed all keys when it returns. */
    @Override
    public void clear() {
        cache.invalidate();
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
