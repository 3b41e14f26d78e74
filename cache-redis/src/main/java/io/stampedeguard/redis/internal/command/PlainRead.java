package io.stampedeguard.redis.internal.command;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/**
 * The reading of one entry by {@code GET}, which refuses something that is no string. <em>Immutable</em>, but for the bytes.
 *
 * @param key the Redis key
 */
record PlainRead(byte[] key) implements KeyedCommand {
    @Override
    public CommandArguments toSend() {
        return new CommandArguments(Protocol.Command.GET).key(key);
    }

    @Override
    public byte @Nullable [] sendAlone(UnifiedJedis client) {
        return client.get(key);
    }
}
