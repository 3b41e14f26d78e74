package io.stampedeguard.redis.internal.pipeline;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.IOUtils;

/** A sender of many commands, which sends all before it reads the first answer. <em>Thread-safe.</em> */
public interface Pipelines {
    /** Returns that of a client; a cluster needs circuit breakers. */
    static Pipelines of(
            UnifiedJedis client,
            ClientConnections connections,
            @Nullable Breakers breakers,
            BackgroundThreads threads,
            TimeSource time) {
        ClusterConnectionProvider provider = connections.cluster();
        return provider == null
                ? new OnePipeline(connections.provider())
                : new ClusterPipelines(new Cluster(client, provider, requireNonNull(breakers), time), threads, time);
    }

    /**
     * Sends commands, each once, whose keys are marked as such. Returns the reply to each, in the same order. Blocks; does not
     * throw.
     */
    List<Reply> send(List<CommandArguments> commands);

    /** Returns the cluster, {@code null} for a single server. */
    default @Nullable Cluster cluster() {
        return null;
    }

    /**
     * The reply to one command of many: a raw answer, which may be {@code null}, or a failure: the refusal, or the cause of a
     * missing answer, which commands that failed together share. <em>Immutable.</em>
     */
    record Reply(@Nullable Object value, @Nullable RuntimeException failure) {
        public static Reply of(@Nullable Object value) {
            return new Reply(value, null);
        }

        public static Reply failed(RuntimeException failure) {
            return new Reply(null, failure);
        }

        /** Reads the next answer, or refusal, from a connection. Blocks; throws what Jedis throws if there is none. */
        static Reply next(Connection connection) {
            try {
                return of(connection.getOne());
            } catch (JedisDataException refused) {
                return failed(refused);
            } catch (OutOfMemoryError failure) {
                throw RedisFailure.tooLarge(failure);
            }
        }
    }

    /**
     * The pipeline of a single server. When the connection breaks, the commands without an answer fail; the pipeline of Jedis
     * does not report the cause. <em>Thread-safe.</em>
     */
    record OnePipeline(ConnectionProvider connections) implements Pipelines {
        @Override
        public List<Reply> send(List<CommandArguments> commands) {
            List<Reply> replies = new ArrayList<>(commands.size());
            Connection connection = null;
            try {
                connection = connections.getConnection();
                commands.forEach(connection::sendCommand);
                while (replies.size() < commands.size()) {
                    replies.add(Reply.next(connection));
                }
            } catch (RuntimeException | Error thrown) {
                if (connection != null) {
                    connection.setBroken(); // its next user must not read an answer to a command of this pipeline
                }
                RuntimeException failure =
                        thrown instanceof Error error ? RedisFailure.ofUserCode(error) : (RuntimeException) thrown;
                Reply failed = Reply.failed(failure);
                while (replies.size() < commands.size()) {
                    replies.add(failed);
                }
            } finally {
                IOUtils.closeQuietly(connection);
            }
            return replies;
        }
    }
}
