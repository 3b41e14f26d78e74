package io.stampedeguard.benchmarks.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.params.SetParams;

/** Cache-aside as in most applications: {@code GET}; on a miss a load, and {@code SET} with a TTL. */
final class CacheAsidePeer implements Peer {
    private static final int AT_ONCE = 1_000;

    private final RedisClient redis;
    private final SetParams ttl;

    CacheAsidePeer(String redisUri, PeerOptions options) {
        this.redis = options.connect(redisUri);
        this.ttl = SetParams.setParams().px(options.ttlOrUsual().toMillis());
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        String cached = redis.get(redisKey(key));
        if (cached != null) {
            return cached;
        }
        String loaded = load.load(key);
        if (loaded == null) {
            return null;
        }
        redis.set(redisKey(key), loaded, ttl);
        return loaded;
    }

    @Override
    public void remove(String key) {
        redis.del(redisKey(key));
    }

    /** As with care, by pages of {@code SCAN}: {@code KEYS} would stop Redis while it walks through all keys. */
    @Override
    public void clear() {
        ScanIteration scan = redis.scanIteration(AT_ONCE, redisKey("*"));
        while (!scan.isIterationCompleted()) {
            List<String> page = scan.nextBatch().getResult();
            if (!page.isEmpty()) {
                redis.unlink(page.toArray(String[]::new));
            }
        }
    }

    private static String redisKey(String key) {
        return "cache-aside:" + key;
    }

    @Override
    public void close() {
        redis.close();
    }
}
