package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * Commands for many keys, each of which gets the answer that it would get by itself:
 *
 * <ol>
 *   <li>all are sent through a pipeline: one round trip, also to a cluster;
 *   <li>if a server does not know the script, the first command is sent through another pipeline with the source of the script,
 *       and the others after it; if some servers still do not know it, all are sent with the source;
 *   <li>if slots have moved, or are moving, the first command is sent by itself, from which the client learns, with pauses while it
 *       is refused (by their {@link Turn}, one wait for all commands together); then the others through another pipeline;
 *   <li>commands on a connection that broke while it was idle are sent once more, unless their {@link Turn} forbids it;
 *   <li>if no connection to a master of a cluster can be made, its successor is looked for in the background, for up to half a
 *       second; then all are sent through another pipeline. Commands that timed out are not sent again, nor, if their {@link Turn}
 *       forbids it, any for which there was a connection;
 *   <li>what is left after four pipelines is sent one by one.
 * </ol>
 *
 * <p>For one thread.
 */
final class CommandBatch {
    private static final int MOST_ROUNDS = 4;

    private final UnifiedJedis client;
    private final Pipelines pipelines;
    private final @Nullable Cluster cluster;
    private final Turn turn;
    private final Runnable onBroken;
    private final TimeSource time;
    private boolean hasWaited;

    CommandBatch(UnifiedJedis client, Pipelines pipelines, Turn turn, Runnable onBroken, TimeSource time) {
        this.client = client;
        this.pipelines = pipelines;
        this.turn = turn;
        this.cluster = pipelines.cluster();
        this.onBroken = onBroken;
        this.time = time;
    }

    /** Sends all commands. Each of them has a reply then. */
    void send(List<BatchedCommand> commands) {
        List<BatchedCommand> pending = commands;
        for (int round = 0; round < MOST_ROUNDS && !pending.isEmpty(); round++) {
            pending = afterRound(pending);
        }
        sendOneByOne(pending);
    }

    /** Sends commands through a pipeline, and returns those to be sent through another one. */
    private List<BatchedCommand> afterRound(List<BatchedCommand> commands) {
        List<CommandArguments> arguments = new ArrayList<>(commands.size());
        commands.forEach(command -> arguments.add(command.toSend()));
        List<Reply> replies = pipelines.send(arguments);
        BatchRound round = new BatchRound();
        for (int i = 0; i < replies.size(); i++) {
            round.sort(commands.get(i), replies.get(i));
        }
        return round.next();
    }

    private final class BatchRound {
        private final List<BatchedCommand> withoutScript = new ArrayList<>();
        private final List<BatchedCommand> moved = new ArrayList<>();
        private final Map<RuntimeException, List<BatchedCommand>> unanswered = new LinkedHashMap<>();

        private void sort(BatchedCommand command, Reply reply) {
            RuntimeException failure = reply.failure();
            if (failure == null || (command.command.isInOrder() && failure instanceof JedisDataException)) {
                command.reply = reply; // after a refusal, another command of its order may have been executed
            } else if (failure instanceof JedisNoScriptException) {
                withoutScript.add(command);
            } else if (failure instanceof JedisRedirectionException || RedisFailure.isOfMovingSlot(failure)) {
                moved.add(command);
                if (cluster != null && failure instanceof JedisMovedDataException) {
                    cluster.forgetSlots();
                }
            } else if (failure instanceof JedisDataException) {
                command.reply = reply;
            } else {
                unanswered.computeIfAbsent(failure, each -> new ArrayList<>()).add(command);
            }
        }

        private List<BatchedCommand> next() {
            List<BatchedCommand> next = new ArrayList<>(withoutScript);
            BatchedCommand.teachScript(withoutScript);
            if (!moved.isEmpty()) {
                sendAlone(moved.remove(0));
                next.addAll(moved);
            }
            unanswered.forEach((failure, commands) -> next.addAll(toBeRepeated(failure, commands)));
            return next;
        }
    }

    private List<BatchedCommand> toBeRepeated(RuntimeException failure, List<BatchedCommand> unanswered) {
        boolean first = !unanswered.get(0).isRepeated;
        unanswered.forEach(command -> command.isRepeated = true);
        if (first && RedisFailure.brokenAtOnce(failure)) {
            onBroken.run();
            if (turn.tryToRepeat()) {
                return unanswered;
            }
        }
        boolean becameSilent = !first && failure instanceof ServerBreaker.Open; // by the failure of the round before
        if (cluster != null && (becameSilent || mayBeUnsent(failure, first)) && !hasWaited) {
            hasWaited = true;
            if (cluster.awaitMaster(BatchedCommand.key(unanswered.get(0).command))) {
                return unanswered;
            }
        }
        unanswered.forEach(command -> command.reply = Reply.failed(failure));
        return List.of();
    }

    /** Returns whether no connection could be made because of the server; for certain, if a command must not be sent again, or was. */
    private boolean mayBeUnsent(RuntimeException failure, boolean first) {
        if (turn.isOnce() || !first) {
            return RedisFailure.isUnconnected(failure);
        }
        return RedisFailure.isOfServer(failure)
                && !(failure instanceof ServerBreaker.Open)
                && !RedisFailure.brokenAtOnce(failure)
                && !RedisFailure.isTimeout(failure);
    }

    private static boolean isAnswer(Reply reply) {
        return reply.failure() == null || reply.failure() instanceof JedisDataException;
    }

    /** After a server has not answered once, the remaining commands fail with it. */
    private void sendOneByOne(List<BatchedCommand> commands) {
        Reply last = null;
        for (BatchedCommand command : commands) {
            if (last != null && !isAnswer(last)) {
                command.reply = last;
            } else {
                last = sendAlone(command);
            }
        }
    }

    private Reply sendAlone(BatchedCommand command) {
        Reply reply = replyTo(command);
        while (reply.failure() != null && turn.pauseWhileSlotMoves(reply.failure(), time)) {
            reply = replyTo(command);
        }
        command.reply = reply;
        return reply;
    }

    private Reply replyTo(BatchedCommand command) {
        try {
            return Reply.of(command.command.sendAlone(client));
        } catch (RuntimeException failure) {
            return Reply.failed(failure);
        }
    }

    /** One command of many, and its state. For one thread. */
    static final class BatchedCommand {
        private final KeyedCommand command;
        /** Whether it was sent before, and may have been executed. */
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

        /** Returns the Redis key of a command, or one of several in the same slot. */
        static byte[] key(KeyedCommand command) {
            return (byte[]) command.toSend().getKeys().get(0);
        }

        /** Returns whether it was not sent because all connections were in use. */
        boolean isUnsent() {
            RuntimeException failure = reply().failure();
            return failure != null && RedisFailure.isShortage(failure);
        }

        Reply reply() {
            return requireNonNull(reply);
        }
    }
}
