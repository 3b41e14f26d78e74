package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.testbed.PlainRedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** Cache-aside as in most applications: {@code GET}; on a miss the load, and {@code SET} with a TTL. */
final class CacheAsidePeer implements Peer {
    private static final int CONNECTIONS = 64;
    private static final SetParams TTL = SetParams.setParams().ex(300);

    private final RedisClient redis;

    CacheAsidePeer(String redisUri) {
        this.redis = PlainRedis.connect(redisUri, CONNECTIONS);
    }

    @Override
    public String get(String key, Load load) throws Exception {
        String cached = redis.get(redisKey(key));
        if (cached != null) {
            return cached;
        }
        String loaded = load.load(key);
        redis.set(redisKey(key), loaded, TTL);
        return loaded;
    }

    @Override
    public void remove(String key) {
        redis.del(redisKey(key));
    }

    private static String redisKey(String key) {
        return "cache-aside:" + key;
    }

    @Override
    public void close() {
        redis.close();
    }
}
