package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import java.util.Set;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;

/**
 * Redis tracks the keys that begin as those of the caches do, and tells of them where RESP2 can hear it: on one channel, to
 * which the connection redirects what is tracked for itself. In RESP3 it would come as a push, which Jedis drops. Once
 * the channel is subscribed, RESP2 lets nothing more be tracked. As a subscriber the connection also has the limit that
 * Redis sets to what it keeps for those who do not read. <em>Immutable.</em>
 */
public record TrackedFeed(RedisKeys keys) implements FeedProtocol {
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
