package io.stampedeguard.redis.internal.command;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/** A command for one key of the cache, which can be sent with others or by itself. */
interface KeyedCommand {
    /**
     * Returns the command for a pipeline. Its keys are marked, so that the server in a cluster can be found.
     */
    CommandArguments toSend();

    /**
     * Returns the command for a pipeline to a server that does not know the script.
     */
    default CommandArguments toSendWithScript() {
        return toSend();
    }

    /**
     * Sends it by itself, to the server where the client finds the key.
     *
     * @return the answer
     */
    @Nullable
    Object sendAlone(UnifiedJedis client);
}
