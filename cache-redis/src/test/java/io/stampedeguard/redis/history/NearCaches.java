package io.stampedeguard.redis.history;

import io.stampedeguard.policy.NearCacheOptions;

/** Whether the processes of a run have near caches. */
enum NearCaches {
    NONE,
    ALL;

    static final NearCacheOptions OPTIONS =
            NearCacheOptions.builder().maximumSize(1_000).build();
}
