package io.stampedeguard.benchmarks.peers.redisson;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerKind.Storage;
import io.stampedeguard.benchmarks.peer.PeerModule;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.spring.cache.RedissonSpringCacheManager;

/** The module of Redisson, with the ways to cache that its documentation shows and that are not reserved to its paid edition. */
public final class RedissonPeers implements PeerModule {
    private static final int USUAL_IDLE_CONNECTIONS = 24;

    /** Creates the module, without a connection. */
    public RedissonPeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                new PeerKind(
                        "redisson-map",
                        Storage.REDIS,
                        RedissonMapPeer::mapCache,
                        PeerKind.jarOf(Redisson.class) + ": RMapCache with a MapLoader; 64 connections, StringCodec"),
                new PeerKind(
                        "redisson-local-map",
                        Storage.REDIS_AND_PROCESS,
                        RedissonMapPeer::localCachedMap,
                        PeerKind.jarOf(Redisson.class)
                                + ": RLocalCachedMap with a MapLoader; 10,000 local entries (LRU), INVALIDATE, reconnection strategy CLEAR"),
                new PeerKind(
                        "redisson-lock",
                        Storage.REDIS,
                        RedissonLockPeer::new,
                        PeerKind.jarOf(Redisson.class)
                                + ": RBucket with a TTL, an RLock for each key around a second look and the load; watchdog 30 s"),
                new PeerKind(
                        "redisson-spring",
                        Storage.REDIS,
                        RedissonSpringPeer::new,
                        PeerKind.jarOf(RedissonSpringCacheManager.class)
                                + ": RedissonSpringCacheManager with a TTL, as by @Cacheable(sync = true); nulls are not cached"));
    }

    /** Connects with Redisson's defaults, a pool of 64 connections among them, and its codec for strings. */
    static RedissonClient connect(String redisUri, PeerOptions options) {
        Config config = new Config().setCodec(StringCodec.INSTANCE);
        int connections = options.connectionsOrUsual();
        config.useSingleServer()
                .setAddress(redisUri)
                .setConnectionPoolSize(connections)
                .setConnectionMinimumIdleSize(Math.min(connections, USUAL_IDLE_CONNECTIONS));
        return Redisson.create(config);
    }
}
