package io.stampedeguard;

import io.stampedeguard.policy.NearCacheOptions;

/** The tiers in which a process keeps values that the store does not take. */
enum Tier {
    NEAR_CACHE,
    EMERGENCY_CACHE;

    /** Adds this tier to a cache. */
    StampedeGuardedCacheBuilder<String, String> addTo(StampedeGuardedCacheBuilder<String, String> builder) {
        return this == NEAR_CACHE
                ? builder.nearCache(NearCacheOptions.builder().maximumSize(100).build())
                : builder;
    }
}
