package io.stampedeguard.benchmarks.peers.jetcache;

import com.alicp.jetcache.Cache;
import com.alicp.jetcache.CacheBuilder;
import com.alicp.jetcache.SimpleCacheManager;
import com.alicp.jetcache.anno.CacheConsts;
import com.alicp.jetcache.anno.CacheType;
import com.alicp.jetcache.embedded.CaffeineCacheBuilder;
import com.alicp.jetcache.redis.RedisCacheBuilder;
import com.alicp.jetcache.support.Fastjson2KeyConvertor;
import com.alicp.jetcache.support.JavaValueDecoder;
import com.alicp.jetcache.support.JavaValueEncoder;
import com.alicp.jetcache.template.CacheBuilderTemplate;
import com.alicp.jetcache.template.NotifyMonitorInstaller;
import com.alicp.jetcache.template.QuickConfig;
import io.stampedeguard.benchmarks.peer.LatestLoads;
import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.testbed.PlainRedis;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * JetCache as in its pages "Getting started" and "Redis with Jedis": on Jedis, the faster of its clients, with {@code
 * fastjson2} keys, Java serialization, a broadcast channel, Caffeine in the process, and {@code penetrationProtect}. The cache is
 * created by {@code CacheManager.getOrCreateCache}. Absence is cached, for the TTL, if the workload wants negative caching.
 */
final class JetCachePeer implements Peer {
    private final RedisClient redis;
    private final SimpleCacheManager caches = new SimpleCacheManager();
    private final Cache<String, String> cache;
    private final LatestLoads loads = new LatestLoads();

    @SuppressWarnings("unchecked") // an array of maps, by the variable arguments of the template
    private JetCachePeer(RedisClient redis, QuickConfig config) {
        this.redis = redis;
        CacheBuilder local =
                CaffeineCacheBuilder.createCaffeineCacheBuilder().keyConvertor(Fastjson2KeyConvertor.INSTANCE);
        CacheBuilder remote = RedisCacheBuilder.createRedisCacheBuilder()
                .keyConvertor(Fastjson2KeyConvertor.INSTANCE)
                .valueEncoder(JavaValueEncoder.INSTANCE)
                .valueDecoder(JavaValueDecoder.INSTANCE)
                .broadcastChannel(config.getName())
                .jedis(redis);
        CacheBuilderTemplate template = new CacheBuilderTemplate(
                true, Map.of(CacheConsts.DEFAULT_AREA, local), Map.of(CacheConsts.DEFAULT_AREA, remote));
        template.getCacheMonitorInstallers().add(new NotifyMonitorInstaller(area -> template.getCacheBuilder(1, area)));
        caches.setCacheBuilderTemplate(template);
        this.cache = caches.getOrCreateCache(config);
    }

    /** Returns the way to open such a peer, with settings of its own that may depend on the TTL. */
    static PeerKind.Opening named(
            String name, BiFunction<QuickConfig.Builder, Duration, QuickConfig.Builder> settings) {
        return (redisUri, options) -> {
            QuickConfig config =
                    settings.apply(config(name, options), options.ttlOrUsual()).build();
            int forBroadcasts = Boolean.TRUE.equals(config.getSyncLocal()) ? 1 : 0;
            return new JetCachePeer(PlainRedis.connect(redisUri, options.connectionsOrUsual() + forBroadcasts), config);
        };
    }

    private static QuickConfig.Builder config(String name, PeerOptions options) {
        return QuickConfig.newBuilder(name)
                .cacheType(CacheType.REMOTE)
                .expire(options.ttlOrUsual())
                .cacheNullValue(
                        options.negativeTtl() != null && !options.negativeTtl().isZero())
                .penetrationProtect(true);
    }

    /** A cache that refreshes keeps the loader of the first call for a key. */
    @Override
    public @Nullable String get(String key, Load load) {
        if (cache.config().getRefreshPolicy() == null) {
            return cache.computeIfAbsent(key, load::loadUnchecked);
        }
        loads.set(key, load);
        return cache.computeIfAbsent(key, loads::load);
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) throws Exception {
        Map<String, String> cached = cache.getAll(Set.copyOf(keys));
        return cached.size() == keys.size() ? cached.values() : Peer.super.getAll(keys, load);
    }

    @Override
    public void remove(String key) {
        cache.remove(key);
    }

    @Override
    public void close() {
        caches.close();
        redis.close();
    }
}
