package io.stampedeguard.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.IOUtils;

/**
 * The pipeline of a single server: one round trip. When the connection breaks, no command has an answer.
 * <em>Thread-safe.</em>
 */
record OnePipeline(UnifiedJedis client) implements Pipelines {
    @Override
    public List<Reply> send(List<CommandArguments> commands) {
        try {
            return answers(client.pipelined(), commands);
        } catch (RuntimeException failure) {
            return Collections.nCopies(commands.size(), Reply.failed(failure));
        }
    }

    private static List<Reply> answers(AbstractPipeline pipeline, List<CommandArguments> commands) {
        List<Response<Object>> responses = new ArrayList<>(commands.size());
        try {
            commands.forEach(command -> responses.add(pipeline.sendCommand(command)));
            pipeline.sync();
        } finally {
            // What fails once fails again in closing; told of both, nobody would send again.
            IOUtils.closeQuietly(pipeline);
        }
        return responses.stream().map(OnePipeline::reply).toList();
    }

    private static Reply reply(Response<Object> response) {
        try {
            return Reply.of(response.get());
        } catch (JedisDataException refused) {
            return Reply.failed(refused);
        } catch (IllegalStateException unanswered) {
            return Reply.failed(new JedisConnectionException("the client has no answer", unanswered));
        }
    }
}
