package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.invalidation.FeedProtocol;

/** How a {@link RedisStore} is notified of changed entries, for near caches; what it publishes itself does not depend on it. */
public enum InvalidationMode {
    /**
     * Each store publishes the changes made through it on a channel of the cache. Changes that other programs make to the Redis
     * keys are not reported.
     */
    PUBLISHED,

    /**
     * Redis reports everything that happens to the keys of the cache ({@code CLIENT TRACKING ... BCAST}): also changes by other
     * programs, {@code FLUSHALL}, and evicted or expired keys. It also reports each loaded value and each lease, which causes
     * many more messages.
     */
    CLIENT_TRACKING;

    FeedProtocol protocol(RedisKeys keys) {
        return switch (this) {
            case PUBLISHED -> new FeedProtocol.Published(keys);
            case CLIENT_TRACKING -> new FeedProtocol.Tracked(keys);
        };
    }
}
