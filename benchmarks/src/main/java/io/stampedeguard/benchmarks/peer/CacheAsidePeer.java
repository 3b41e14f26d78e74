package io.stampedeguard.benchmarks.peer;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

/** Cache-aside as in most applications: {@code GET}; on a miss a load, and {@code SET} with a TTL. */
final class CacheAsidePeer implements Peer {
    private static final ScanParams EACH_OF_CACHE =
            new ScanParams().match(redisKey("*")).count(1_000);

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
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> page = redis.scan(cursor, EACH_OF_CACHE);
            if (!page.getResult().isEmpty()) {
                redis.unlink(page.getResult().toArray(String[]::new));
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }

    private static String redisKey(String key) {
        return "cache-aside:" + key;
    }

    @Override
    public void close() {
        redis.close();
    }
}
