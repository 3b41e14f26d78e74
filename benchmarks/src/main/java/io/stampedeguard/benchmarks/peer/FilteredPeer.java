package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.redis.RedisStore;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code StampedeGuardedCache} with a key validator and a key filter that the processes share. The nonexistent keys are
 * syntactically valid, so that only the filter rejects them.
 */
final class FilteredPeer implements Peer {
    private static final Predicate<String> VALID =
            Pattern.compile("[A-Za-z0-9-]{1,64}").asMatchPredicate();

    private final RedisKeyFilter<String> filter;
    private final Peer guarded;

    private FilteredPeer(RedisKeyFilter<String> filter, Peer guarded) {
        this.filter = filter;
        this.guarded = guarded;
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening named(String name) {
        return (redisUri, options) -> {
            RedisStore store = GuardedPeer.store(redisUri, options);
            RedisKeyFilter<String> filter = RedisKeyFilter.<String>builder(name, store)
                    .expectedKeys(options.filterKeysOrUsual())
                    .falsePositiveRate(0.01)
                    .build();
            return new FilteredPeer(
                    filter,
                    new GuardedPeer(
                            store,
                            StampedeGuardedCache.<String, String>builder(name)
                                    .policy(GuardedPeer.policyOf(options).build())
                                    .keyValidator(VALID)
                                    .keyFilter(filter)));
        };
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        return guarded.get(key, load);
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
    public void know(Supplier<Stream<String>> keys) {
        filter.rebuild(keys);
    }

    @Override
    public OptionalLong countImpossible(Stream<String> keys) {
        return OptionalLong.of(keys.filter(key -> !filter.mightContain(key)).count());
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
        filter.close();
        guarded.close();
    }
}
