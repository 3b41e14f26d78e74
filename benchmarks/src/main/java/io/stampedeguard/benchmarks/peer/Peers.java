package io.stampedeguard.benchmarks.peer;

import static io.stampedeguard.benchmarks.peer.PeerKind.Storage.PROCESS;
import static io.stampedeguard.benchmarks.peer.PeerKind.Storage.REDIS;
import static io.stampedeguard.benchmarks.peer.PeerKind.Storage.REDIS_AND_PROCESS;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/**
 * All kinds of peers; a new one is a line here. Those in modules are known by name also if they are not on the class path.
 */
public final class Peers {
    /** The name of the peer that is not a cache: the lower bound of the cost of a Redis read. */
    public static final String BARE = "jedis";

    /** The name of the guarded cache with a key filter. */
    public static final String FILTERED = "guarded-filter";

    /** The name of the guarded cache with a gathering loader. */
    public static final String GATHERING = "guarded-gathering";

    /** The modules below {@code benchmarks/peers}, with the names of their peers. */
    private static final List<OnRequest> ON_REQUEST = List.of(
            new OnRequest("lettuce", "lettuce"),
            new OnRequest("jetcache", "jetcache-remote", "jetcache-two-level", "jetcache-refresh"),
            new OnRequest("redisson", "redisson-map", "redisson-local-map", "redisson-lock", "redisson-spring"),
            new OnRequest(
                    "spring",
                    "spring-guarded",
                    "spring-guarded-sync",
                    "spring-guarded-unless",
                    "spring-guarded-future",
                    "spring-guarded-mono",
                    "spring-guarded-near",
                    "spring-caffeine",
                    "spring-sync",
                    "spring-plain",
                    "spring-locking",
                    "spring-scan"));

    private static final String OURS = PeerKind.jarOf(RedisStore.class) + " on " + PeerKind.jarOf(UnifiedJedis.class);
    private static final int NEAR_ENTRIES = 10_000;

    private static final List<PeerKind> BUILT_IN = List.of(
            new PeerKind(
                    "guarded",
                    REDIS,
                    GuardedPeer.with("guarded", cache -> cache),
                    OURS + ": RedisStore.connect, default options and policy"),
            new PeerKind(
                    "guarded-near",
                    REDIS_AND_PROCESS,
                    GuardedPeer.with("guarded-near", Peers::near),
                    "guarded, with a near cache of 10,000 entries"),
            new PeerKind(
                    FILTERED,
                    REDIS,
                    FilteredPeer.named(FILTERED),
                    "guarded, with a RedisKeyFilter of the existing keys at 0.01"),
            new PeerKind(
                    GATHERING,
                    REDIS,
                    GatheringPeer.named(GATHERING),
                    "guarded, with a loader that gathers up to 100 keys for 2 ms at most"),
            new PeerKind(
                    "cache-aside",
                    REDIS,
                    CacheAsidePeer::new,
                    PeerKind.jarOf(UnifiedJedis.class)
                            + ", 64 connections: GET; on a miss the load, and SET with a TTL; DEL to remove, SCAN and UNLINK to clear"),
            new PeerKind(
                    "caffeine",
                    PROCESS,
                    (redis, options) -> new CaffeinePeer(options),
                    PeerKind.jarOf(Caffeine.class)
                            + " in each process, maximumSize and expireAfterWrite: the lower bound"),
            new PeerKind(
                    BARE,
                    PeerKind.Storage.BARE,
                    JedisPeer::new,
                    PeerKind.jarOf(UnifiedJedis.class) + ", a bare pool: the lower bound of a read of Redis"));

    /** The kinds on the class path, in the order in which they alternate. */
    public static final List<PeerKind> ALL =
            Stream.concat(BUILT_IN.stream(), loaded()).toList();

    private Peers() {}

    private static StampedeGuardedCacheBuilder<String, String> near(StampedeGuardedCacheBuilder<String, String> cache) {
        return cache.nearCache(
                NearCacheOptions.builder().maximumSize(NEAR_ENTRIES).build());
    }

    private record OnRequest(String module, List<String> peers) {
        OnRequest(String module, String... peers) {
            this(module, List.of(peers));
        }
    }

    private static Stream<PeerKind> loaded() {
        return ServiceLoader.load(PeerModule.class).stream()
                .flatMap(module -> module.get().peers().stream())
                .sorted(Comparator.comparingInt(peer -> names().indexOf(peer.name())));
    }

    /** Returns the names of all kinds, whether they are on the class path or not. */
    public static List<String> names() {
        return Stream.concat(
                        BUILT_IN.stream().map(PeerKind::name),
                        ON_REQUEST.stream().flatMap(each -> each.peers().stream()))
                .toList();
    }

    /** Returns the name itself, or if it is the name of a module, those of all its peers. */
    public static Stream<String> namesFor(String name) {
        return ON_REQUEST.stream()
                .filter(each -> each.module().equals(name))
                .findFirst()
                .map(each -> each.peers().stream())
                .orElse(Stream.of(name));
    }

    /** Returns the name of a peer's module below {@code benchmarks/peers}, {@code null} if the peer is built in. */
    public static @Nullable String moduleOf(String name) {
        return ON_REQUEST.stream()
                .filter(each -> each.peers().contains(name))
                .findFirst()
                .map(OnRequest::module)
                .orElse(null);
    }

    /** Returns whether the peer of a given name is on the class path. */
    public static boolean isPresent(String name) {
        return ALL.stream().anyMatch(peer -> peer.name().equals(name));
    }

    /** Returns the peer of a given name; throws if there is none on the class path. */
    public static PeerKind named(String name) {
        return ALL.stream()
                .filter(peer -> peer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer '" + name + "'"));
    }
}
