package io.stampedeguard;

import io.stampedeguard.policy.NearCacheOptions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The tiers in which a process keeps values that the store does not take. */
enum Tier {
    NEAR_CACHE,
    EMERGENCY_CACHE;

    static Stream<Arguments> withEveryFormOfGet() {
        return Arrays.stream(FormOfGet.values())
                .flatMap(form -> Arrays.stream(values()).map(tier -> Arguments.of(form, tier)));
    }

    /** Adds this tier to a cache. */
    StampedeGuardedCacheBuilder<String, String> addTo(StampedeGuardedCacheBuilder<String, String> builder) {
        return this == NEAR_CACHE
                ? builder.nearCache(NearCacheOptions.builder().maximumSize(100).build())
                : builder;
    }
}
