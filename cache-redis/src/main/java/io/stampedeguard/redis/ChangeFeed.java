package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.invalidation.AnnouncedFeed;
import io.stampedeguard.redis.internal.invalidation.FeedProtocol;
import io.stampedeguard.redis.internal.invalidation.TrackedFeed;

/** How a {@link RedisStore} hears which entries somebody has changed. What it tells others does not depend on it. */
public enum ChangeFeed {
    /**
     * Whoever changes an entry through a store announces it on a channel of the cache. What is not told: what other
     * programs do to the Redis keys.
     */
    ANNOUNCED,

    /**
     * Redis itself tells whatever happens to the keys of the cache ({@code CLIENT TRACKING ... BCAST}): also changes by other
     * programs, {@code FLUSHALL}, evicted and expired keys. And also each value that is loaded and each lease that is
     * taken by anybody, which makes many more messages.
     */
    TRACKED;

    FeedProtocol protocol(RedisKeys keys) {
        return switch (this) {
            case ANNOUNCED -> new AnnouncedFeed(keys);
            case TRACKED -> new TrackedFeed(keys);
        };
    }
}
