package io.stampedeguard.redis;

import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/** Sends commands together, before it reads the first answer. <em>Thread-safe.</em> */
interface Pipelines {
    /** Finds the way for a client of the caller's. */
    static Pipelines of(UnifiedJedis client, ClientConnections connections) {
        ClusterConnectionProvider cluster = connections.cluster();
        return cluster == null
                ? new OnePipeline(connections.provider())
                : new ClusterPipelines(client, cluster::getConnectionFromSlot);
    }

    /**
     * Sends commands, each once. Blocks; does not throw.
     *
     * @param commands the commands, whose keys are marked as such
     * @return what became of each, in the same order
     */
    List<Reply> send(List<CommandArguments> commands);

    /** Whether there are several servers, of which each has some of the keys. */
    default boolean areOfCluster() {
        return false;
    }

    /** Is told that a key is no longer where it was. */
    default void forgetPlaces() {}
}
