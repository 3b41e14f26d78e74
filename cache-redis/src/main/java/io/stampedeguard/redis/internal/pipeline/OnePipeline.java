package io.stampedeguard.redis.internal.pipeline;

import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.IOUtils;

/**
 * The pipeline of a single server: one round trip. When the connection breaks, the commands that are still without an answer
 * fail. The pipeline of Jedis does not report the cause. <em>Thread-safe.</em>
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
                replies.add(next(connection));
            }
        } catch (RuntimeException failure) {
            if (connection != null) {
                connection.setBroken(); // its next user must not read an answer to a command of this pipeline
            }
            Reply failed = Reply.failed(failure);
            while (replies.size() < commands.size()) {
                replies.add(failed);
            }
        } finally {
            IOUtils.closeQuietly(connection);
        }
        return replies;
    }

    private static Reply next(Connection connection) {
        try {
            return Reply.of(connection.getOne());
        } catch (JedisDataException refused) {
            return Reply.failed(refused);
        }
    }
}
