package io.stampedeguard.redis.internal.command;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/** A command for one key of the cache, which can be sent together with others or by itself. */
interface KeyedCommand {
    /**
     * Returns what goes into a pipeline. The keys are marked as such, so that the server in a cluster can be found.
     */
    CommandArguments toSend();

    /**
     * Returns what goes into a pipeline to a server that has answered that it does not know the script.
     */
    default CommandArguments toSendWithScript() {
        return toSend();
    }

    /**
     * Sends it by itself, to wherever the client finds the key.
     *
     * @return the answer
     */
    @Nullable
    Object sendAlone(UnifiedJedis client);
}
