package io.stampedeguard.demo.product;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * Cache-aside as in most applications: {@code GET}; on a miss a query, and {@code SET} with a TTL. If Redis does not
 * answer, that is a miss, too: the application continues with the database alone. <em>Thread-safe.</em>
 */
public final class PlainCache implements ProductCache {
    private final UnifiedJedis redis;
    private final String prefix;
    private final LongSupplier ttlMillis;
    private final ProductLoad origin;

    /** Creates a cache; {@code prefix} is that of the products' keys, {@code ttlMillis} how long products are cached. */
    public PlainCache(UnifiedJedis redis, String prefix, long ttlMillis, ProductLoad origin) {
        this(redis, prefix, () -> ttlMillis, origin);
    }

    /** The same with a TTL that is drawn for each product. */
    public PlainCache(UnifiedJedis redis, String prefix, LongSupplier ttlMillis, ProductLoad origin) {
        this.redis = redis;
        this.prefix = prefix;
        this.ttlMillis = ttlMillis;
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
            // The next miss stores it.
        }
    }

    @Override
    public void put(long key, String product) {
        redis.set(prefix + key, product, SetParams.setParams().px(ttlMillis.getAsLong()));
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
