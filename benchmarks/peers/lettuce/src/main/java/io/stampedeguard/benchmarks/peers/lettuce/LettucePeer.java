package io.stampedeguard.benchmarks.peers.lettuce;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.stampedeguard.benchmarks.peer.Peer;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bare Lettuce client: only {@code GET} and {@code MGET}, on one connection that all threads share, as its reference guide
 * recommends, whatever number of connections a workload sets. Absent keys are loaded and {@code SET} without a TTL, so that later
 * reads are hits.
 */
final class LettucePeer implements Peer {
    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    LettucePeer(String redisUri) {
        this.client = RedisClient.create(redisUri);
        this.redis = client.connect().sync();
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        String stored = redis.get(key);
        if (stored != null) {
            return stored;
        }
        String loaded = load.load(key);
        if (loaded != null) {
            redis.set(key, loaded);
        }
        return loaded;
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) throws Exception {
        List<KeyValue<String, String>> stored = redis.mget(keys.toArray(String[]::new));
        return stored.stream().allMatch(KeyValue::hasValue)
                ? stored.stream().map(KeyValue::getValue).toList()
                : Peer.super.getAll(keys, load);
    }

    @Override
    public void remove(String key) {
        redis.del(key);
    }

    @Override
    public void close() {
        client.close();
    }
}
