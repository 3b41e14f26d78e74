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

/** The module of Redisson, with the ways to cache that its documentation shows and that are not reserved to its paid edition. */
public final class RedissonPeers implements PeerModule {
    private static final int USUAL_IDLE_CONNECTIONS = 24;

    /** Creates the module, without a connection. */
    public RedissonPeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                new PeerKind("redisson-map", Storage.REDIS, RedissonMapPeer::mapCache),
                new PeerKind("redisson-local-map", Storage.REDIS_AND_PROCESS, RedissonMapPeer::localCachedMap),
                new PeerKind("redisson-lock", Storage.REDIS, RedissonLockPeer::new),
                new PeerKind("redisson-spring", Storage.REDIS, RedissonSpringPeer::new));
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
