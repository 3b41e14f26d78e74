package io.stampedeguard.benchmarks.peer;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.loader.Loader;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * {@code StampedeGuardedCache} with a gathering loader. All callers of a round have the same origin: the loader uses the latest that
 * was passed.
 */
final class GatheringPeer implements Peer {
    private static final int MOST_KEYS = 100;

    private final Peer guarded;
    private final Loader<String, String> gathering;
    private volatile @Nullable Load latest;

    private GatheringPeer(Peer guarded) {
        this.guarded = guarded;
        this.gathering = Loader.gathering(keys -> requireNonNull(latest).loadAll(keys), MOST_KEYS);
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening named(String name) {
        PeerKind.Opening opening = GuardedPeer.with(name, policy -> policy);
        return (redisUri, options) -> new GatheringPeer(opening.open(redisUri, options));
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        latest = load;
        return guarded.get(key, gathering::load);
    }

    @Override
    public void remove(String key) {
        guarded.remove(key);
    }

    @Override
    public void clear() {
        guarded.clear();
    }

    @Override
    public Map<String, Long> unleasedLoads() {
        return guarded.unleasedLoads();
    }

    @Override
    public OptionalLong waits() {
        return guarded.waits();
    }

    @Override
    public @Nullable String breaker() {
        return guarded.breaker();
    }

    @Override
    public void close() {
        guarded.close();
    }
}
