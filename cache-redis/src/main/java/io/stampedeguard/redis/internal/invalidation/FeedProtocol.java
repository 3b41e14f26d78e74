package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;

/** How a server reports changes on a connection. Implementations are <em>immutable</em>. */
public sealed interface FeedProtocol {
    /** Prepares a new connection for some caches. Blocks; throws what Jedis throws. */
    void prepare(Connection connection, Set<String> caches);

    String channel(String cache);

    /** Returns whether a prepared connection can add and remove caches. */
    boolean isFlexible();

    /** Changes that the scripts publish on a channel of the cache. */
    record Published(RedisKeys keys) implements FeedProtocol {
        @Override
        public void prepare(Connection connection, Set<String> caches) {
            // A subscription is enough.
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

    /**
     * Changes that Redis tracks for the key prefixes of the caches. It reports them as RESP2 can receive them: on one channel,
     * to which the connection redirects its own tracking. In RESP3 they would be pushes, which Jedis drops. Once the channel is
     * subscribed, RESP2 does not permit further tracking. As a subscriber, the connection is also subject to the limit of Redis
     * on the output buffers of slow readers.
     */
    record Tracked(RedisKeys keys) implements FeedProtocol {
        private static final String CHANNEL = "__redis__:invalidate";

        @Override
        public void prepare(Connection connection, Set<String> caches) {
            if (connection.getRedisProtocol() == RedisProtocol.RESP3) {
                connection.executeCommand(new CommandArguments(Command.HELLO).add("2"));
            }
            Object id = connection.executeCommand(new CommandArguments(Command.CLIENT).add("ID"));
            CommandArguments tracking = new CommandArguments(Command.CLIENT)
                    .add("TRACKING")
                    .add("ON")
                    .add("REDIRECT")
                    .add(id)
                    .add("BCAST");
            caches.forEach(cache -> tracking.add("PREFIX").add(keys.beginning(cache)));
            connection.executeCommand(tracking);
        }

        @Override
        public String channel(String cache) {
            return CHANNEL;
        }

        @Override
        public boolean isFlexible() {
            return false;
        }
    }
}
