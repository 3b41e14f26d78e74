package io.stampedeguard.redis;

import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** Sends commands together, before it reads the first answer. <em>Thread-safe.</em> */
interface Pipelines {
    /** Finds the way for a client of the caller's. */
    @SuppressWarnings("deprecation")
    static Pipelines of(UnifiedJedis client) {
        if (client instanceof RedisClusterClient cluster) {
            return new ClusterPipelines(client, cluster::getConnectionFromSlot);
        }
        if (client instanceof JedisCluster cluster) {
            return new ClusterPipelines(client, cluster::getConnectionFromSlot);
        }
        return new OnePipeline(client);
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
