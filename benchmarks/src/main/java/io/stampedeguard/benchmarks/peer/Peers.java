package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.WakeUp;
import java.util.List;

/** All kinds of peers; a new one is a line here. */
public final class Peers {
    /** The name of the peer that is not a cache: the lower bound of the cost of a Redis read. */
    public static final String BARE = "jedis";

    /** The name of the guarded cache with a key filter. */
    public static final String FILTERED = "guarded-filter";

    /** All kinds, in the order in which they alternate. */
    public static final List<PeerKind> ALL = List.of(
            new PeerKind("guarded", true, GuardedPeer.with("guarded", policy -> policy)),
            new PeerKind("guarded-near", true, GuardedPeer.with("guarded-near", policy -> policy, Peers::near)),
            new PeerKind("guarded-poll", true, GuardedPeer.with("guarded-poll", policy -> policy.wakeUp(WakeUp.POLL))),
            new PeerKind(
                    "guarded-refresh-after", true, GuardedPeer.with("guarded-refresh-after", Peers::refreshedAfter)),
            new PeerKind(FILTERED, true, FilteredPeer.named(FILTERED)),
            new PeerKind("cache-aside", true, CacheAsidePeer::new),
            new PeerKind("caffeine", false, (redis, options) -> new CaffeinePeer(options)),
            new PeerKind(BARE, true, JedisPeer::new));

    private static final int NEAR_ENTRIES = 10_000;

    /** With a TTL of 1 s and a load of 100 ms, the reload completes 20 ms before the value becomes stale. */
    private static final double REFRESH_AFTER = 0.88;

    private Peers() {}

    private static StampedeGuardedCacheBuilder<String, String> near(StampedeGuardedCacheBuilder<String, String> cache) {
        return cache.nearCache(
                NearCacheOptions.builder().maximumSize(NEAR_ENTRIES).build());
    }

    private static CachePolicyBuilder refreshedAfter(CachePolicyBuilder policy) {
        return policy.earlyRefresh(0).refreshAfter(REFRESH_AFTER);
    }

    public static List<String> names() {
        return ALL.stream().map(PeerKind::name).toList();
    }

    /** Returns the peer of a given name; throws if there is none. */
    public static PeerKind named(String name) {
        return ALL.stream()
                .filter(peer -> peer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer '" + name + "'"));
    }
}
