package io.stampedeguard.benchmarks.peers.redisson;

import io.stampedeguard.benchmarks.peer.LatestLoads;
import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.api.map.MapLoader;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.api.options.LocalCachedMapOptions.EvictionPolicy;
import org.redisson.api.options.LocalCachedMapOptions.ReconnectionStrategy;
import org.redisson.api.options.LocalCachedMapOptions.SyncStrategy;
import org.redisson.api.options.MapCacheOptions;

/**
 * Redisson's read-through maps: {@code RMapCache} or {@code RLocalCachedMap} with a {@code MapLoader}, as in its page
 * "Collections". What the loader returns is stored without a TTL, so they do not support workloads with one.
 */
final class RedissonMapPeer implements Peer {
    private static final int LOCAL_ENTRIES = 10_000;

    private final RedissonClient redisson;
    private final RMap<String, String> map;
    private final LatestLoads loads = new LatestLoads();

    private RedissonMapPeer(
            RedissonClient redisson,
            BiFunction<RedissonClient, MapLoader<String, String>, RMap<String, String>> creation) {
        this.redisson = redisson;
        this.map = creation.apply(redisson, new Loader());
    }

    /** Opens an {@code RMapCache}. */
    static Peer mapCache(String redisUri, PeerOptions options) {
        return open(
                redisUri,
                options,
                (redisson, loader) -> redisson.getMapCache(
                        MapCacheOptions.<String, String>name("redisson-map").loader(loader)));
    }

    /** Opens an {@code RLocalCachedMap}, whose copies are invalidated by messages, and cleared after a lost connection. */
    static Peer localCachedMap(String redisUri, PeerOptions options) {
        return open(
                redisUri,
                options,
                (redisson, loader) ->
                        redisson.getLocalCachedMap(LocalCachedMapOptions.<String, String>name("redisson-local-map")
                                .loader(loader)
                                .cacheSize(LOCAL_ENTRIES)
                                .evictionPolicy(EvictionPolicy.LRU)
                                .syncStrategy(SyncStrategy.INVALIDATE)
                                .reconnectionStrategy(ReconnectionStrategy.CLEAR)));
    }

    private static Peer open(
            String redisUri,
            PeerOptions options,
            BiFunction<RedissonClient, MapLoader<String, String>, RMap<String, String>> creation) {
        if (options.ttl() != null) {
            throw new UnsupportedOperationException("values that a MapLoader loads have no TTL");
        }
        return new RedissonMapPeer(RedissonPeers.connect(redisUri, options), creation);
    }

    @Override
    public @Nullable String get(String key, Load load) {
        loads.set(key, load);
        return map.get(key);
    }

    @Override
    public Collection<String> getAll(List<String> keys, Load load) {
        keys.forEach(key -> loads.set(key, load));
        return map.getAll(Set.copyOf(keys)).values();
    }

    @Override
    public void remove(String key) {
        map.fastRemove(key);
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public void close() {
        redisson.shutdown();
    }

    private final class Loader implements MapLoader<String, String> {
        @Override
        public @Nullable String load(String key) {
            return loads.load(key);
        }

        @Override
        public Iterable<String> loadAllKeys() {
            return List.of();
        }
    }
}
