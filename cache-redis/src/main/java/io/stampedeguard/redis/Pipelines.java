package io.stampedeguard.redis;

import io.stampedeguard.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/** Sends commands together, before it reads the first answer. <em>Thread-safe.</em> */
interface Pipelines {
    /** Finds the way for a client of the caller's. */
    static Pipelines of(UnifiedJedis client, BackgroundThreads threads, TimeSource time) {
        Cluster cluster = Cluster.of(client, threads, time);
        return cluster == null ? new OnePipeline(client) : new ClusterPipelines(cluster, threads, time);
    }

    /**
     * Sends commands, each once. Blocks; does not throw.
     *
     * @param commands the commands, whose keys are marked as such
     * @return what became of each, in the same order
     */
    List<Reply> send(List<CommandArguments> commands);

    /** Returns the servers of which each has some of the keys, {@code null} if there is one server. */
    default @Nullable Cluster cluster() {
        return null;
    }
}
