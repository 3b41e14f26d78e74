package io.stampedeguard.redis.internal.command;

import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/**
 * A call of a script. <em>Immutable</em>, but for the bytes.
 *
 * @param script which one
 * @param keys the Redis keys, all of one slot
 * @param arguments the arguments
 */
public record ScriptCall(Script script, List<byte[]> keys, List<byte[]> arguments) implements KeyedCommand {
    @Override
    public CommandArguments toSend() {
        return script.byDigest(keys, arguments);
    }

    @Override
    public CommandArguments toSendWithScript() {
        return script.bySource(keys, arguments);
    }

    @Override
    public Object sendAlone(UnifiedJedis client) {
        return script.run(client, keys, arguments);
    }
}
