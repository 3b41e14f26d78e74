package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.combine.Combiner;
import io.stampedeguard.redis.internal.combine.Combiner.Transport;
import io.stampedeguard.redis.internal.command.CommandBatch.BatchedCommand;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ConnectionPermits;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.connect.SpareConnections;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The sender of commands, which also resends them if that is safe. A command whose connection is broken, as happens while it is
 * idle, is sent once more on another connection. A command that timed out is not, since the timeout would be paid twice. So
 * each command must tolerate a second execution by the same caller, also one that arrives late:
 *
 * <ul>
 *   <li>reading, invalidating, and marking as stale are idempotent;
 *   <li>a request for a lease is {@linkplain Turn#once not sent again}, by its caller or another one: the first
 *       one could arrive after an invalidation, and grant the lease again to a load that began before it. The caller requests it
 *       with another token;
 *   <li>renewing is idempotent;
 *   <li>publishing and extending recognize their own entry;
 *   <li>giving a lease back twice, after a failure or not, changes only the answer;
 *   <li>a put is carried out within its time only, for which its caller waits ({@link CallerChanges});
 *   <li>adding to a filter is idempotent. A generation that was begun, or is active, is not begun again, since it may contain
 *       adds; a second commit leaves it active.
 * </ul>
 *
 * <p>A cluster that is moving the slot of a key has certainly changed nothing, and gets the command again, for as
 * long as its {@link Turn} waits. Other temporary refusals (no master, too few replicas, out of memory) are not waited out:
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
     * Creates a sender; {@code onBroken} is called before a command is sent again, and when the connections lead to a demoted
     * master.
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

    @Nullable
    Cluster cluster() {
        return cluster;
    }

    /** A command that may be sent a second time. */
    interface Step<T extends @Nullable Object> {
        T sendAlone(UnifiedJedis client);
    }

    /** Sends one command through the client when it is the caller's turn. */
    <T extends @Nullable Object> T send(Turn turn, Step<T> step) {
        return permits.admit(turn, () -> send(step, turn));
    }

    /** Sends commands within a step, through one pipeline, and returns their answers; throws if one is missing. */
    List<@Nullable Object> answers(List<CommandArguments> commands) {
        List<@Nullable Object> answers = new ArrayList<>(commands.size());
        for (Reply reply : pipelines.send(commands)) {
            if (reply.failure() != null) {
                throw reply.failure();
            }
            answers.add(reply.value());
        }
        return answers;
    }

    /** Sends one command, which is chosen when it is the caller's turn. */
    <T> T sendChosen(Turn turn, Supplier<Step<T>> choice) {
        return permits.admit(turn, () -> send(choice.get(), turn));
    }

    /** Throws {@link ServerBreaker.Open} if the single server is not to be asked now. */
    void check(Turn turn) {
        permits.check(turn);
    }

    private <T extends @Nullable Object> T send(Step<T> step, Turn turn) {
        boolean isFirst = true;
        while (true) {
            try {
                return step.sendAlone(client);
            } catch (OutOfMemoryError failure) {
                onBroken.run(); // Jedis before 8 returns the connection to the pool
                throw RedisFailure.tooLarge(failure);
            } catch (RuntimeException failure) {
                if (isFirst && RedisFailure.brokenAtOnce(failure)) {
                    onBroken.run();
                    if (!turn.tryToRepeat()) {
                        throw failure;
                    }
                    isFirst = false;
                } else if (turn.pauseBeforeRetry(failure, time) || turn.pauseWhileSlotMoves(failure, time)) {
                    turn.sending(time);
                } else {
                    leaveIfDemoted(failure);
                    throw failure;
                }
            }
        }
    }

    /** Sends one command to a cluster. The client itself would wait for several timeouts. */
    @Nullable
    Object sendOne(Turn turn, KeyedCommand command) {
        return sendEach(turn, () -> List.of(command), Needed.ALL).get(0).value();
    }

    /**
     * Sends commands for many keys, as documented in {@link CommandBatch}, which are chosen when it is the caller's turn. Returns the
     * replies in their order; if all are needed, each reply is an answer.
     */
    List<Reply> sendEach(Turn turn, Supplier<? extends List<? extends KeyedCommand>> choice, Needed needed) {
        return permits.admit(turn, () -> {
            List<BatchedCommand> batch =
                    choice.get().stream().map(BatchedCommand::new).toList();
            send(batch, turn);
            return replies(batch, needed);
        });
    }

    /** Retries commands that were not sent because no connection was free, until the turn is over. */
    private void send(List<BatchedCommand> all, Turn turn) {
        List<BatchedCommand> pending = all;
        while (true) {
            new CommandBatch(client, pipelines, turn, onBroken, time).send(pending);
            pending = pending.stream().filter(BatchedCommand::isUnsent).toList();
            if (pending.isEmpty()
                    || !turn.pauseBeforeRetry(
                            requireNonNull(pending.get(0).reply().failure()), time)) {
                return;
            }
            if (pending.size() == all.size()) { // otherwise the time of the first answers counts
                turn.sending(time);
            }
        }
    }

    private List<Reply> replies(List<BatchedCommand> batch, Needed needed) {
        List<Reply> replies = new ArrayList<>(batch.size());
        RuntimeException failure = null;
        int answers = 0;
        for (BatchedCommand each : batch) {
            Reply reply = each.reply();
            replies.add(reply);
            if (reply.failure() == null) {
                answers++;
            } else {
                failure = reply.failure();
                answers += needed == Needed.REPLY && failure instanceof JedisDataException ? 1 : 0;
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

    /**
     * The changes of keys on a single server, by scripts, and by plain commands in an order. Requests for leases by concurrent callers
     * are combined, and so are ends of leases, only with each other: a lease holder waits for no other callers. A virtual thread
     * sends its own: its companions would wait until it has a carrier. <em>Thread-safe.</em>
     */
    static final class Changes {
        /** One caller sends by itself: two at once already use more processor time than one batch. */
        private static final int LANES = 1;

        private static final MethodHandle IS_VIRTUAL = isVirtual();

        private final AtomicBoolean areSeparate;
        private final Transport<KeyedCommand, @Nullable Object> transport;
        private final Combiner<KeyedCommand, @Nullable Object> leaseRequests;
        private final Combiner<KeyedCommand, @Nullable Object> leaseEnds;

        /** Creates those of {@code commands}, of whose senders each turn has one; {@code areSeparate} says whether none are combined. */
        Changes(Commands commands, AtomicBoolean areSeparate, TimeSource time) {
            this.areSeparate = areSeparate;
            this.transport = new OneServer(commands);
            this.leaseRequests = new Combiner<>(transport, LANES, time);
            this.leaseEnds = new Combiner<>(transport, LANES, time);
        }

        /** Sends the change of one key. */
        Object send(Turn turn, KeyedCommand command) {
            Combiner<KeyedCommand, @Nullable Object> combiner = combiner(turn);
            return requireNonNull(
                    combiner == null ? transport.send(turn, command) : combiner.send(turn, command, command));
        }

        /** Sends plain commands, which the server executes in their order, though others may come in between. */
        List<@Nullable Object> send(Turn turn, List<KeyedCommand> inOrder) {
            Combiner<KeyedCommand, @Nullable Object> combiner = combiner(turn);
            return combiner == null ? transport.sendTogether(turn, inOrder) : combiner.sendAll(turn, inOrder, inOrder);
        }

        /** Returns the combiner for a turn, {@code null} if its changes are sent by themselves. */
        private @Nullable Combiner<KeyedCommand, @Nullable Object> combiner(Turn turn) {
            Combiner<KeyedCommand, @Nullable Object> combiner =
                    turn.holdsLease() ? leaseEnds : turn.isOnce() ? leaseRequests : null;
            return combiner == null || areSeparate.get() || isOnVirtualThread() ? null : combiner;
        }

        private static boolean isOnVirtualThread() {
            try {
                return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        /** Returns the method {@code isVirtual} of threads, which Java has since 21. */
        private static MethodHandle isVirtual() {
            try {
                return MethodHandles.publicLookup()
                        .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
            } catch (ReflectiveOperationException olderJava) {
                return MethodHandles.dropArguments(MethodHandles.constant(boolean.class, false), 0, Thread.class);
            }
        }

        private record OneServer(Commands store) implements Transport<KeyedCommand, @Nullable Object> {
            @Override
            public void check(Turn turn, KeyedCommand command) {
                store.check(turn);
            }

            @Override
            public @Nullable Object send(Turn turn, KeyedCommand command) {
                return store.sendBy(turn, by -> by.send(turn, command));
            }

            /** Sends one script, or several plain commands, which fail together. */
            @Override
            public List<@Nullable Object> sendTogether(Turn turn, List<KeyedCommand> commands) {
                if (commands.size() == 1) {
                    return List.of(send(turn, commands.get(0)));
                }
                List<CommandArguments> inOrder = new ArrayList<>(commands.size());
                commands.forEach(command -> inOrder.add(command.toSend()));
                return store.sendBy(turn, by -> by.send(turn, jedis -> by.answers(inOrder)));
            }

            @Override
            public List<Reply> sendAll(Turn turn, Supplier<List<KeyedCommand>> chosen) {
                return store.sendBy(turn, by -> by.sendEach(turn, chosen, Needed.REPLY));
            }

            @Override
            public int length(KeyedCommand command, @Nullable Object answer) {
                return command.length() + lengthOf(answer);
            }

            private static int lengthOf(@Nullable Object answer) {
                if (answer instanceof byte[] bytes) {
                    return bytes.length;
                }
                int length = 0;
                if (answer instanceof List<?> parts) {
                    for (Object part : parts) {
                        length += part instanceof byte[] bytes ? bytes.length : 0;
                    }
                }
                return length;
            }
        }
    }

    /** A sender over connections of its own, which are those of a single server. */
    record Spare(CommandSender sender, SpareConnections connections) {
        static Spare of(ClientConnections callers, @Nullable ServerBreaker breaker, TimeSource time) {
            SpareConnections connections = new SpareConnections(callers);
            ConnectionPermits permits = new ConnectionPermits(SpareConnections.MOST, breaker, time);
            UnifiedJedis itself =
                    new UnifiedJedis(connections, RedisProtocol.RESP2) {}; // sends scripts, whose answers are raw
            return new Spare(
                    new CommandSender(
                            itself, new Pipelines.OnePipeline(connections), permits, connections::closeIdle, time),
                    connections);
        }
    }

    /** Sends a command without keys; on a cluster, to any of its masters. */
    Object ask(Turn turn, CommandArguments question) {
        return cluster == null
                ? send(turn, jedis -> jedis.executeCommand(question))
                : permits.admit(turn, () -> cluster.ask(question));
    }

    /** Sends a command without keys to the server that has just executed another command. */
    Object ask(Turn turn, CommandArguments question, KeyedCommand answered) {
        return cluster == null ? ask(turn, question) : cluster.ask(question, BatchedCommand.key(answered));
    }

    /** Leaves a demoted master: it keeps its connections, while its name may already lead to its successor. */
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
