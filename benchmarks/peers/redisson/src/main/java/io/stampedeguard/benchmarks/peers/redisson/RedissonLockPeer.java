package io.stampedeguard.benchmarks.peers.redisson;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Cache-aside with Redisson's {@code RBucket}, and an {@code RLock} for each key around a second look and the load, as in its page
 * "Locks and synchronizers". The watchdog, with its default of 30 s, renews the lock while its process lives.
 */
final class RedissonLockPeer implements Peer {
    private final RedissonClient redisson;
    private final Duration ttl;

    RedissonLockPeer(String redisUri, PeerOptions options) {
        this.redisson = RedissonPeers.connect(redisUri, options);
        this.ttl = options.ttlOrUsual();
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        RBucket<String> bucket = bucket(key);
        String cached = bucket.get();
        if (cached != null) {
            return cached;
        }
        RLock lock = redisson.getLock("redisson-lock:lock:" + key);
        lock.lock();
        try {
            return getLocked(bucket, key, load);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String getLocked(RBucket<String> bucket, String key, Load load) throws Exception {
        String cached = bucket.get();
        if (cached != null) {
            return cached;
        }
        String loaded = load.load(key);
        if (loaded != null) {
            bucket.set(loaded, ttl);
        }
        return loaded;
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) throws Exception {
        String[] names = keys.stream().map(RedissonLockPeer::name).toArray(String[]::new);
        Map<String, String> cached = redisson.getBuckets().get(names);
        return cached.size() == names.length ? cached.values() : Peer.super.getAll(keys, load);
    }

    @Override
    public void remove(String key) {
        bucket(key).delete();
    }

    @Override
    public void clear() {
        redisson.getKeys().deleteByPattern(name("*"));
    }

    private RBucket<String> bucket(String key) {
        return redisson.getBucket(name(key));
    }

    private static String name(String key) {
        return "redisson-lock:" + key;
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
