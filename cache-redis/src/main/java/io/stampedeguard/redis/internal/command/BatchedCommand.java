package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pipeline.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/** One command of many, and its state. For one thread. */
final class BatchedCommand {
    private final KeyedCommand command;
    private boolean isRepeated;
    private boolean lacksScript;
    private boolean bringsScript;
    private @Nullable Reply reply;

    BatchedCommand(KeyedCommand command) {
        this.command = command;
    }

    /** Attaches the script source to commands whose servers did not know it: to the first one, and the second time to all. */
    static void teachScript(List<BatchedCommand> unknown) {
        boolean first = true;
        for (BatchedCommand each : unknown) {
            each.bringsScript = first || each.lacksScript;
            each.lacksScript = true;
            first = false;
        }
    }

    CommandArguments toSend() {
        return bringsScript ? command.toSendWithScript() : command.toSend();
    }

    /** Returns the Redis key, or one of several in the same slot. */
    byte[] key() {
        return key(command);
    }

    static byte[] key(KeyedCommand command) {
        return (byte[]) command.toSend().getKeys().get(0);
    }

    @Nullable
    Object sendAlone(UnifiedJedis client) {
        return command.sendAlone(client);
    }

    /** Returns whether it was sent before, and may have been executed. */
    boolean isRepeated() {
        return isRepeated;
    }

    /** Notes that it is sent again. */
    void repeat() {
        isRepeated = true;
    }

    void end(Reply last) {
        reply = last;
    }

    /** Returns whether it was not sent because all connections were in use. */
    boolean isUnsent() {
        RuntimeException failure = reply().failure();
        return failure != null && RedisFailure.isShortage(failure);
    }

    /** Returns the final reply. */
    Reply reply() {
        return requireNonNull(reply);
    }
}
