package io.stampedeguard.benchmarks.peer;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * A bare Jedis pool: only {@code GET} and {@code MGET}. Absent keys are loaded and {@code SET} without a TTL, so that
 * later reads are hits.
 */
final class JedisPeer implements Peer {
    private final RedisClient redis;

    JedisPeer(String redisUri, PeerOptions options) {
        this.redis = options.connect(redisUri);
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        String stored = redis.get(key);
        if (stored != null) {
            return stored;
        }
        String loaded = load.load(key);
        if (loaded == null) {
            return null;
        }
        redis.set(key, loaded);
        return loaded;
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) throws Exception {
        List<String> stored = redis.mget(keys.toArray(String[]::new));
        return stored.contains(null) ? Peer.super.getAll(keys, load) : stored;
    }

    @Override
    public void remove(String key) {
        redis.del(key);
    }

    @Override
    public void close() {
        redis.close();
    }
}
