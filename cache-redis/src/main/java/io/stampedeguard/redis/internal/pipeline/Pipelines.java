package io.stampedeguard.redis.internal.pipeline;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.time.TimeSource;
import java.net.SocketTimeoutException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/** Sends commands together, before it reads the first answer. <em>Thread-safe.</em> */
public interface Pipelines {
    /** Finds the way for a client of the caller's. */
    static Pipelines of(
            UnifiedJedis client, ClientConnections connections, BackgroundThreads threads, TimeSource time) {
        ClusterConnectionProvider provider = connections.cluster();
        return provider == null
                ? new OnePipeline(connections.provider())
                : new ClusterPipelines(new Cluster(client, provider, threads, time), threads, time);
    }

    /** Nothing was sent, since the master is silent. */
    final class NotAsked extends JedisConnectionException {
        NotAsked() {
            super(new SocketTimeoutException("the master has not answered lately, and does not answer now"));
        }
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
