package io.stampedeguard.redis.history;

import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.ChangeFeed;

/** Whether the processes of a run have near caches, and how these hear of changes. */
enum NearCaches {
    NONE(ChangeFeed.ANNOUNCED),
    ANNOUNCED(ChangeFeed.ANNOUNCED),
    TRACKED(ChangeFeed.TRACKED);

    static final NearCacheOptions OPTIONS = NearCacheOptions.maximumSize(1_000);

    private final ChangeFeed feed;

    NearCaches(ChangeFeed feed) {
        this.feed = feed;
    }

    ChangeFeed feed() {
        return feed;
    }
}
