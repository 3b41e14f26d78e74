package io.stampedeguard.benchmarks.peers.redisson;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.spring.cache.CacheConfig;
import org.redisson.spring.cache.RedissonSpringCacheManager;
import org.springframework.cache.Cache;

/**
 * Redisson's Spring cache as in its page "Spring Cache": {@code RedissonSpringCacheManager} with a TTL, called as
 * {@code @Cacheable(sync = true)} does. Absence is not cached.
 */
final class RedissonSpringPeer implements Peer {
    private static final String NAME = "redisson-spring";

    private final RedissonClient redisson;
    private final Cache cache;

    RedissonSpringPeer(String redisUri, PeerOptions options) {
        this.redisson = RedissonPeers.connect(redisUri, options);
        CacheConfig config = new CacheConfig(options.ttlOrUsual().toMillis(), 0);
        RedissonSpringCacheManager caches = new RedissonSpringCacheManager(redisson, Map.of(NAME, config));
        caches.setAllowNullValues(false);
        this.cache = requireNonNull(caches.getCache(NAME));
    }

    @Override
    public @Nullable String get(String key, Load load) {
        return cache.get(key, () -> load.load(key));
    }

    @Override
    public void remove(String key) {
        cache.evict(key);
    }

    @Override
    public void clear() {
        cache.invalidate();
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
