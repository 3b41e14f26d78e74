package io.stampedeguard.demo;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/** Cache-aside as in most applications: {@code GET}; on a miss the query, and {@code SET} with a TTL. */
final class PlainCache implements ProductCache {
    private final UnifiedJedis redis;
    private final String prefix;
    private final SetParams ttl;
    private final ProductLoad origin;

    PlainCache(UnifiedJedis redis, String prefix, long ttlMillis, ProductLoad origin) {
        this.redis = redis;
        this.prefix = prefix;
        this.ttl = SetParams.setParams().px(ttlMillis);
        this.origin = origin;
    }

    @Override
    public @Nullable String get(long key) {
        String cached = redis.get(prefix + key);
        if (cached != null) {
            return cached;
        }
        String product = origin.load(key);
        if (product != null) {
            put(key, product);
        }
        return product;
    }

    @Override
    public void put(long key, String product) {
        redis.set(prefix + key, product, ttl);
    }

    @Override
    public void close() {
        // Nothing runs in the background.
    }
}
