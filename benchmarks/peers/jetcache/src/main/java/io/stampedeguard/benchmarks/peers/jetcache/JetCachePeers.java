package io.stampedeguard.benchmarks.peers.jetcache;

import com.alicp.jetcache.RefreshPolicy;
import com.alicp.jetcache.anno.CacheType;
import com.alicp.jetcache.template.QuickConfig;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerKind.Storage;
import io.stampedeguard.benchmarks.peer.PeerModule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The module of JetCache, with a cache of each of the types that its documentation shows. */
public final class JetCachePeers implements PeerModule {
    private static final int LOCAL_ENTRIES = 10_000;

    /** Creates the module, without a connection. */
    public JetCachePeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(
                new PeerKind(
                        "jetcache-remote",
                        Storage.REDIS,
                        JetCachePeer.named("jetcache-remote", (cache, ttl) -> cache),
                        PeerKind.jarOf(QuickConfig.class)
                                + " on Jedis: penetrationProtect, fastjson2 keys, Java serialization"),
                new PeerKind(
                        "jetcache-two-level",
                        Storage.REDIS_AND_PROCESS,
                        JetCachePeer.named("jetcache-two-level", (cache, ttl) -> twoLevel(cache)),
                        "jetcache-remote, with cacheType = BOTH, 10,000 local entries on Caffeine, and syncLocal = true"),
                new PeerKind(
                        "jetcache-refresh",
                        Storage.REDIS,
                        JetCachePeer.named("jetcache-refresh", JetCachePeers::refresh),
                        "jetcache-remote, with refresh at half the TTL, and stopRefreshAfterLastAccess after one TTL"));
    }

    /** Copies in each process, removed by broadcast: {@code cacheType = BOTH, syncLocal = true}. */
    private static QuickConfig.Builder twoLevel(QuickConfig.Builder cache) {
        return cache.cacheType(CacheType.BOTH).localLimit(LOCAL_ENTRIES).syncLocal(true);
    }

    /** The example of {@code @CacheRefresh}: refreshed after half the TTL, until there was no access for a TTL. */
    private static QuickConfig.Builder refresh(QuickConfig.Builder cache, Duration ttl) {
        return cache.refreshPolicy(RefreshPolicy.newPolicy(ttl.toMillis() / 2, TimeUnit.MILLISECONDS)
                .stopRefreshAfterLastAccess(ttl.toMillis(), TimeUnit.MILLISECONDS));
    }
}
