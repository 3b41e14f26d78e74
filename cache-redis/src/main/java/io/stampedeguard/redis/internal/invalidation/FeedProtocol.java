package io.stampedeguard.redis.internal.invalidation;

import java.util.Set;
import redis.clients.jedis.Connection;

/** What has to be said on a connection so that changes are told there. Implementations are <em>immutable</em>. */
public interface FeedProtocol {
    /** Makes a connection on which nothing was said yet ready for some caches. Blocks; throws what Jedis throws. */
    void prepare(Connection connection, Set<String> caches);

    /** Names the channel on which the changes of a cache come. */
    String channel(String cache);

    /** Whether a connection can take up caches for which it was not prepared, and let go of caches. */
    boolean isFlexible();
}
