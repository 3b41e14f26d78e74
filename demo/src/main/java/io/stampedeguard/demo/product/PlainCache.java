package io.stampedeguard.demo.product;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * Cache-aside as in most applications: {@code GET}; on a miss the query, and {@code SET} with a TTL. A Redis that does not
 * answer is a miss, too: the application goes on with the database alone. <em>Thread-safe.</em>
 */
public final class PlainCache implements ProductCache {
    private final UnifiedJedis redis;
    private final String prefix;
    private final SetParams ttl;
    private final ProductLoad origin;

    /**
     * Creates a cache.
     *
     * @param redis where the products are kept
     * @param prefix what the names of their keys begin with
     * @param ttlMillis how long they are kept
     * @param origin where they come from
     */
    public PlainCache(UnifiedJedis redis, String prefix, long ttlMillis, ProductLoad origin) {
        this.redis = redis;
        this.prefix = prefix;
        this.ttl = SetParams.setParams().px(ttlMillis);
        this.origin = origin;
    }

    @Override
    public @Nullable String get(long key) {
        String cached = cached(key);
        if (cached != null) {
            return cached;
        }
        String product = origin.load(key);
        if (product != null) {
            putIfRedisAnswers(key, product);
        }
        return product;
    }

    private @Nullable String cached(long key) {
        try {
            return redis.get(prefix + key);
        } catch (JedisException noAnswer) {
            return null;
        }
    }

    private void putIfRedisAnswers(long key, String product) {
        try {
            put(key, product);
        } catch (JedisException noAnswer) {
            // The next one who asks makes up for it.
        }
    }

    @Override
    public void put(long key, String product) {
        redis.set(prefix + key, product, ttl);
    }

    @Override
    public void expire(long key) {
        redis.del(prefix + key);
    }

    @Override
    public void close() {
        // Nothing runs in the background.
    }
}
