package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import redis.clients.jedis.Connection;

/** Each cache has a channel of its own, on which the scripts announce the changes. <em>Immutable.</em> */
public record AnnouncedFeed(RedisKeys keys) implements FeedProtocol {
    @Override
    public void prepare(Connection connection, Set<String> caches) {
        // A subscription is all it takes.
    }

    @Override
    public String channel(String cache) {
        return new String(keys.changes(cache), StandardCharsets.ISO_8859_1);
    }

    @Override
    public boolean isFlexible() {
        return true;
    }
}
