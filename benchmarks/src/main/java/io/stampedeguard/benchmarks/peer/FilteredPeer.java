package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.redis.RedisStore;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code StampedeGuardedCache} with a key validator and a key filter that the processes share. The nonexistent keys are
 * syntactically valid, so that only the filter rejects them.
 */
final class FilteredPeer extends GuardedPeer {
    private static final Predicate<String> VALID =
            Pattern.compile("[A-Za-z0-9-]{1,64}").asMatchPredicate();

    private final RedisKeyFilter<String> filter;

    private FilteredPeer(String name, RedisStore store, RedisKeyFilter<String> filter, PeerOptions options) {
        super(
                store,
                StampedeGuardedCache.<String, String>builder(name)
                        .policy(policyOf(options).build())
                        .keyValidator(VALID)
                        .keyFilter(filter));
        this.filter = filter;
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening named(String name) {
        return (redisUri, options) -> {
            RedisStore store = store(redisUri, options);
            RedisKeyFilter<String> filter = RedisKeyFilter.<String>builder(name, store)
                    .expectedKeys(options.filterKeysOrUsual())
                    .falsePositiveRate(0.01)
                    .build();
            return new FilteredPeer(name, store, filter, options);
        };
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
    public void close() {
        filter.close();
        super.close();
    }
}
