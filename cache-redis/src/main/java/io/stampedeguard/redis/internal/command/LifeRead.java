package io.stampedeguard.redis.internal.command;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/**
 * The question how long a Redis key lives, in milliseconds: -1 if it has no end, -2 if there is none. <em>Immutable</em>, but
 * for the bytes.
 *
 * @param key the Redis key
 */
record LifeRead(byte[] key) implements KeyedCommand {
    @Override
    public CommandArguments toSend() {
        return new CommandArguments(Protocol.Command.PTTL).key(key);
    }

    @Override
    public Object sendAlone(UnifiedJedis client) {
        return client.pttl(key);
    }
}
