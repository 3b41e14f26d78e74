package io.stampedeguard.redis.internal.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/**
 * The reading of one entry, by an {@code MGET} of one key: to that, something that is no string is nothing. With more keys
 * it would not be carried out while their slot moves; and hardly two keys are in the same slot. <em>Immutable</em>, but for
 * the bytes.
 *
 * @param key the Redis key
 */
record EntryRead(byte[] key) implements KeyedCommand {
    @Override
    public CommandArguments toSend() {
        return new CommandArguments(Protocol.Command.MGET).key(key);
    }

    @Override
    public Object sendAlone(UnifiedJedis client) {
        return client.mget(key);
    }

    static byte @Nullable [] entry(Object answer) {
        return (byte[]) ((List<?>) answer).get(0);
    }
}
