package io.stampedeguard.benchmarks.peers.spring;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerKind.Storage;
import io.stampedeguard.benchmarks.peer.PeerModule;
import java.util.List;
import org.springframework.data.redis.cache.BatchStrategies;
import org.springframework.data.redis.cache.RedisCacheWriter;

/** The module of Spring Data Redis, with both of its cache writers, and both ways to clear. */
public final class SpringPeers implements PeerModule {
    /** Creates the module, without a connection. */
    public SpringPeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                new PeerKind(
                        "spring-sync",
                        Storage.REDIS,
                        SpringPeer.named("spring-sync", RedisCacheWriter::nonLockingRedisCacheWriter),
                        PeerKind.jarOf(RedisCacheWriter.class)
                                + ": RedisCacheManager with its default writer, as by @Cacheable(sync = true); string values, Lettuce"),
                new PeerKind(
                        "spring-locking",
                        Storage.REDIS,
                        SpringPeer.named("spring-locking", RedisCacheWriter::lockingRedisCacheWriter),
                        "spring-sync, with RedisCacheWriter.lockingRedisCacheWriter"),
                new PeerKind(
                        "spring-scan",
                        Storage.REDIS,
                        SpringPeer.named(
                                "spring-scan",
                                connections -> RedisCacheWriter.nonLockingRedisCacheWriter(
                                        connections, BatchStrategies.scan(1_000))),
                        "spring-sync, with BatchStrategies.scan(1000) instead of KEYS to clear"));
    }
}
