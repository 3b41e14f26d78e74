package io.stampedeguard.redis;

import io.stampedeguard.redis.Commands.Sending;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/** A command for one key of the cache, which can be sent together with others or by itself. */
interface KeyedCommand {
    /**
     * Tells what goes into a pipeline. The keys are marked as such, so that a cluster's one can be found.
     *
     * @param sending which time it is sent
     */
    CommandArguments toSend(Sending sending);

    /**
     * Tells what goes into a pipeline to a server that has answered that it does not know the script.
     *
     * @param sending which time it is sent
     */
    default CommandArguments toSendWithScript(Sending sending) {
        return toSend(sending);
    }

    /**
     * Sends it by itself, to wherever the client finds the key.
     *
     * @param sending which time it is sent
     * @return the answer
     */
    @Nullable
    Object sendAlone(UnifiedJedis client, Sending sending);
}
