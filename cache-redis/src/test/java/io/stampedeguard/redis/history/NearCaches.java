package io.stampedeguard.redis.history;

import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.InvalidationMode;

/** Whether the processes of a run have near caches, and how these are notified of changes. */
enum NearCaches {
    NONE(InvalidationMode.PUBLISHED),
    PUBLISHED(InvalidationMode.PUBLISHED),
    CLIENT_TRACKING(InvalidationMode.CLIENT_TRACKING);

    static final NearCacheOptions OPTIONS =
            NearCacheOptions.builder().maximumSize(1_000).build();

    private final InvalidationMode feed;

    NearCaches(InvalidationMode feed) {
        this.feed = feed;
    }

    InvalidationMode feed() {
        return feed;
    }
}
