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

/** A sender of many commands, which sends all before it reads the first answer. <em>Thread-safe.</em> */
public interface Pipelines {
    /** Returns the sender for a client. */
    static Pipelines of(
            UnifiedJedis client, ClientConnections connections, BackgroundThreads threads, TimeSource time) {
        ClusterConnectionProvider provider = connections.cluster();
        return provider == null
                ? new OnePipeline(connections.provider())
                : new ClusterPipelines(new Cluster(client, provider, threads, time), threads, time);
    }

    /** The failure of commands that were not sent, because the master does not answer. */
    final class NotAsked extends JedisConnectionException {
        NotAsked() {
            super(new SocketTimeoutException("the master has not answered recently, and does not answer now"));
        }
    }

    /**
     * Sends commands, each once. Blocks; does not throw.
     *
     * @param commands the commands, whose keys are marked as such
     * @return the reply to each, in the same order
     */
    List<Reply> send(List<CommandArguments> commands);

    /** Returns the cluster, {@code null} for a single server. */
    default @Nullable Cluster cluster() {
        return null;
    }
}
