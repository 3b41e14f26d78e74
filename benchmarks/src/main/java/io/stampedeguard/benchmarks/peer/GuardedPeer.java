package io.stampedeguard.benchmarks.peer;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicyBuilder;
import io.stampedeguard.redis.RedisStore;

/** {@code StampedeGuardedCache} as its README shows it: a store that connects by itself, with the default options. */
final class GuardedPeer implements Peer {
    private final RedisStore store;
    private final StampedeGuardedCache<String, String> cache;

    GuardedPeer(String name, String redisUri, CachePolicyBuilder policy) {
        this.store = RedisStore.connect(redisUri);
        this.cache = StampedeGuardedCache.<String, String>builder(name)
                .store(store)
                .codec(StringCodec.utf8())
                .policy(policy.build())
                .build();
    }

    @Override
    public String get(String key, Load load) {
        return requireNonNull(cache.get(key, load::load), "every key has a value");
    }

    @Override
    public void remove(String key) {
        cache.invalidate(key);
    }

    @Override
    public void close() {
        cache.close();
        store.close();
    }
}
