package io.stampedeguard.benchmarks.peer;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.Loader;
import org.jspecify.annotations.Nullable;

/**
 * {@code StampedeGuardedCache} with a gathering loader. All callers of a round have the same origin: the loader uses the latest that
 * was passed.
 */
final class GatheringPeer extends GuardedPeer {
    private static final int MOST_KEYS = 100;

    private final Loader<String, String> gathering =
            Loader.gathering(keys -> requireNonNull(this.latest).loadAll(keys), MOST_KEYS);
    private volatile @Nullable Load latest;

    private GatheringPeer(String name, String redisUri, PeerOptions options) {
        super(
                store(redisUri, options),
                StampedeGuardedCache.<String, String>builder(name)
                        .policy(policyOf(options).build()));
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening named(String name) {
        return (redisUri, options) -> new GatheringPeer(name, redisUri, options);
    }

    @Override
    public @Nullable String get(String key, Load load) {
        latest = load;
        return super.get(key, gathering::load);
    }
}
