package io.stampedeguard.redis.internal.connect;

import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

/**
 * The client of a store that made its own connections. The public clients for a single server differ from one version of Jedis to the
 * next; this constructor does not. <em>Thread-safe.</em>
 */
final class OwnClient extends UnifiedJedis {
    OwnClient(ConnectionProvider connections, RedisProtocol protocol) {
        super(connections, protocol);
    }
}
