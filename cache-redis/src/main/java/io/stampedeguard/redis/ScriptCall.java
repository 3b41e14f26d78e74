package io.stampedeguard.redis;

import io.stampedeguard.redis.Commands.Sending;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/**
 * A call of a script. <em>Immutable</em>, but for the bytes.
 *
 * @param script which one
 * @param keys the Redis keys, all of one slot
 * @param arguments the arguments
 * @param again the arguments if it is sent again, as nobody knows whether it was carried out
 */
record ScriptCall(Script script, List<byte[]> keys, List<byte[]> arguments, List<byte[]> again)
        implements KeyedCommand {
    /** A call that may be sent again as it is. */
    ScriptCall(Script script, List<byte[]> keys, List<byte[]> arguments) {
        this(script, keys, arguments, arguments);
    }

    @Override
    public CommandArguments toSend(Sending sending) {
        return script.byDigest(keys, arguments(sending));
    }

    @Override
    public CommandArguments toSendWithScript(Sending sending) {
        return script.bySource(keys, arguments(sending));
    }

    @Override
    public Object sendAlone(UnifiedJedis client, Sending sending) {
        return script.run(client, keys, arguments(sending));
    }

    private List<byte[]> arguments(Sending sending) {
        return sending == Sending.AGAIN ? again : arguments;
    }
}
