package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.cluster.SlotMigrationRetry;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.connect.ConnectionPermits;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.redis.internal.pipeline.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.UnifiedJedis;

/**
 * Sends commands, and sends them again where that is safe. A command whose connection turns out to be broken, as it does when
 * it died while idle, is sent once more on another connection; a timeout is not, as it would be paid twice. So each command must
 * bear being carried out twice by the same caller:
 *
 * <ul>
 *   <li>reading, invalidating and marking as stale do by nature;
 *   <li>a lease is granted again to the token that has it, though without the number of failures that it replaced;
 *   <li>renewing twice is renewing;
 *   <li>publishing and extending recognise their own entry;
 *   <li>giving a lease back twice, after a failure or not, changes nothing, only the answer;
 *   <li>putting twice is a put that took effect late, but still within its call;
 *   <li>adding to a filter twice is adding; a generation that was begun, or is in force, is not begun again, as there may be
 *       adds in it; one that is in force by its first commit is so by its second.
 * </ul>
 *
 * <p>A cluster that is moving the slot of a key has certainly done nothing, and is asked again for a moment, as documented in
 * {@link SlotMigrationRetry}. No other answer that nothing can be done now (no master, too few replicas, full) is waited out:
 * callers load without a lease instead. <em>Thread-safe</em>; throws what Jedis throws.
 */
final class CommandSender {
    private static final long LEAVE_EACH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UnifiedJedis client;
    private final Pipelines pipelines;
    private final @Nullable Cluster cluster;
    private final ConnectionPermits permits;
    private final Runnable onBroken;
    private final TimeSource time;
    private final AtomicLong leftAtNanos;

    /**
     * Creates a sender.
     *
     * @param onBroken called before a command is sent again, and when the connections lead to a demoted master
     */
    CommandSender(
            UnifiedJedis client, Pipelines pipelines, ConnectionPermits permits, Runnable onBroken, TimeSource time) {
        this.client = client;
        this.pipelines = pipelines;
        this.cluster = pipelines.cluster();
        this.permits = permits;
        this.onBroken = onBroken;
        this.time = time;
        this.leftAtNanos = new AtomicLong(time.monotonicNanos() - LEAVE_EACH_NANOS);
    }

    /** Returns the servers of which each has some of the keys, {@code null} if there is one server. */
    @Nullable
    Cluster cluster() {
        return cluster;
    }

    /** One step, which may be sent a second time. */
    interface Step<T> {
        T send(UnifiedJedis client);
    }

    /** Sends one step through the client, when the caller's turn has come. */
    <T> T send(Turn turn, Step<T> step) {
        return permits.admit(turn, () -> send(step, turn));
    }

    private <T> T send(Step<T> step, Turn turn) {
        boolean isFirst = true;
        SlotMigrationRetry slot = null;
        while (true) {
            try {
                return step.send(client);
            } catch (RuntimeException failure) {
                slot = slot == null ? new SlotMigrationRetry(time) : slot;
                if (isFirst && RedisFailure.brokenAtOnce(failure)) {
                    onBroken.run();
                    isFirst = false;
                } else if (turn.isWaitedFor(failure, time)) {
                    turn.sending(time);
                } else if (!slot.isWaitedFor(failure)) {
                    leaveIfDemoted(failure);
                    throw failure;
                }
            }
        }
    }

    /** Sends one command to a cluster. The client's own way would pay for a timeout several times. */
    @Nullable
    Object sendOne(Turn turn, KeyedCommand command) {
        return requireNonNull(
                        sendMany(turn, Map.of(command, command), Needed.ALL).get(command))
                .value();
    }

    /**
     * Sends commands for many keys, as documented in {@link CommandBatch}, when the caller's turn has come.
     *
     * @return the reply to each; if all are needed, each is an answer
     */
    <K> Map<K, Reply> sendMany(Turn turn, Map<K, ? extends KeyedCommand> commands, Needed needed) {
        Map<K, BatchedCommand> batch = new LinkedHashMap<>(commands.size() * 2);
        commands.forEach((key, command) -> batch.put(key, new BatchedCommand(command)));
        return permits.admit(turn, () -> {
            send(List.copyOf(batch.values()), turn);
            return replies(batch, needed);
        });
    }

    /** Sends again what was not sent, since no connection was free, until the turn is over. */
    private void send(List<BatchedCommand> all, Turn turn) {
        List<BatchedCommand> pending = all;
        while (true) {
            new CommandBatch(client, pipelines, onBroken, time).send(pending);
            pending = pending.stream().filter(BatchedCommand::isUnsent).toList();
            if (pending.isEmpty()
                    || !turn.isWaitedFor(
                            requireNonNull(pending.get(0).reply().failure()), time)) {
                return;
            }
            if (pending.size() == all.size()) { // else some are answered, as of the time at which those were sent
                turn.sending(time);
            }
        }
    }

    private <K> Map<K, Reply> replies(Map<K, BatchedCommand> batch, Needed needed) {
        Map<K, Reply> replies = new HashMap<>(batch.size() * 2);
        RuntimeException failure = null;
        int answers = 0;
        for (Map.Entry<K, BatchedCommand> each : batch.entrySet()) {
            Reply reply = each.getValue().reply();
            replies.put(each.getKey(), reply);
            if (reply.failure() == null) {
                answers++;
            } else {
                failure = reply.failure();
                RedisFailure.restoreInterrupt(failure);
            }
        }
        if (failure != null) {
            leaveIfDemoted(failure);
            if (answers == 0 || needed == Needed.ALL) {
                throw failure;
            }
        }
        return replies;
    }

    /** Asks the server a question about no key; of a cluster, any of its masters. */
    Object ask(Turn turn, CommandArguments question) {
        return cluster == null
                ? send(turn, jedis -> jedis.executeCommand(question))
                : permits.admit(turn, () -> cluster.ask(question));
    }

    /** Asks the server that has just carried out a command a question about no key. */
    Object ask(Turn turn, CommandArguments question, KeyedCommand answered) {
        return cluster == null ? ask(turn, question) : cluster.ask(question, BatchedCommand.key(answered));
    }

    /** A master that was demoted keeps its connections, while its name may lead to the next one by now. */
    private void leaveIfDemoted(RuntimeException failure) {
        long now = time.monotonicNanos();
        long last = leftAtNanos.get();
        if (RedisFailure.isOfDemotedMaster(failure)
                && now - last >= LEAVE_EACH_NANOS
                && leftAtNanos.compareAndSet(last, now)) {
            onBroken.run();
        }
    }
}
