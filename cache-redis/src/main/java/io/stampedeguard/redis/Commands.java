package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Sends commands. One whose connection turns out to be broken, as it does when it died while idle, is sent once more
 * on another connection; a timeout is not, as it would be paid twice. So each command must bear being carried out
 * twice by the same caller:
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
 * <p>A cluster that is moving the slot of a key has certainly done nothing, and is asked again for a moment, as {@link
 * MovingSlot} tells. No other answer that nothing can be done now (no master, too few replicas, full) is waited out:
 * callers have better to do, they load without a lease.
 *
 * <p>What fails in the end is a {@link StoreException}, also where Jedis stumbles over an answer that makes no sense.
 * <em>Thread-safe.</em>
 */
final class Commands {
    private static final byte[] NEITHER = {};
    private static final long LEAVE_EACH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UnifiedJedis client;
    private final ClientConnections connections;
    private final BackgroundThreads threads;
    private final Pipelines pipelines;
    private final @Nullable Cluster cluster;
    private final ConnectionPermits permits;
    private final Turn turn;
    private final String where;
    private final Runnable onBroken;
    private final TimeSource time;
    private final ServerCheck serverCheck;
    private final AtomicLong leftAtNanos;

    /**
     * Makes the commands of a client.
     *
     * @param connections those of the client
     * @param turn how a call waits for a connection
     * @param where what a message says about the place, empty if that is not known
     * @param onBroken called before a command is sent again, and when the connections lead to a demoted master
     */
    Commands(
            UnifiedJedis client,
            ClientConnections connections,
            Turn turn,
            String where,
            Runnable onBroken,
            TimeSource time) {
        this.client = client;
        this.connections = connections;
        this.threads = new BackgroundThreads("stampedeguard-redis-calls", time);
        this.pipelines = Pipelines.of(client, connections, threads, time);
        this.cluster = pipelines.cluster();
        this.permits = connections.permits(time);
        this.turn = turn;
        this.where = where;
        this.onBroken = onBroken;
        this.time = time;
        this.serverCheck = new ServerCheck(where);
        this.leftAtNanos = new AtomicLong(time.monotonicNanos() - LEAVE_EACH_NANOS);
    }

    private Commands(Commands same, Turn turn) {
        this.client = same.client;
        this.connections = same.connections;
        this.threads = same.threads;
        this.pipelines = same.pipelines;
        this.cluster = same.cluster;
        this.permits = same.permits;
        this.turn = turn;
        this.where = same.where;
        this.onBroken = same.onBroken;
        this.time = same.time;
        this.serverCheck = same.serverCheck;
        this.leftAtNanos = same.leftAtNanos;
    }

    /** Returns the same commands, which wait for a connection in another way. */
    Commands in(Turn another) {
        return new Commands(this, another);
    }

    Turn turn() {
        return turn;
    }

    String where() {
        return where;
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

    byte @Nullable [] read(String key, byte[] redisKey) {
        try {
            return cluster == null ? send(jedis -> jedis.get(redisKey)) : (byte[]) sendOne(new PlainRead(redisKey));
        } catch (RuntimeException failure) {
            if (isWrongType(failure)) {
                return NEITHER;
            }
            throw RedisFailure.toStoreException("read", key, where, failure);
        }
    }

    private static boolean isWrongType(RuntimeException failure) {
        return failure instanceof JedisDataException
                && String.valueOf(failure.getMessage()).startsWith("WRONGTYPE");
    }

    /**
     * Sends the change of one key.
     *
     * @param notDone what a message says was not done
     * @param meaning reads the answer
     */
    <T> T change(String notDone, String key, KeyedCommand command, Function<Object, T> meaning) {
        T answer;
        try {
            answer = meaning.apply(
                    cluster == null
                            ? send(jedis -> requireNonNull(command.sendAlone(jedis)))
                            : requireNonNull(sendOne(command)));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, key, where, failure);
        }
        serverCheck.warnOnce(question -> ask(question, command));
        return answer;
    }

    /** Of a cluster. The client's own way would pay for a timeout several times. */
    private @Nullable Object sendOne(KeyedCommand command) {
        return requireNonNull(sendMany(Map.of(command, command), Needed.ALL).get(command))
                .value();
    }

    /** Returns why the server cannot be used, {@code null} if it can; warns of a harmful eviction policy. */
    @Nullable
    String serverComplaint() {
        return serverCheck.complaint(this::ask);
    }

    /** Which of many commands must have an answer. */
    enum Needed {
        ANY,
        ALL
    }

    /**
     * Calls scripts for many keys, as {@link CommandBatch} tells.
     *
     * @param notDone what a message says was not done
     * @param calls the calls, under whatever the caller knows them by
     * @param meaning reads an answer
     * @return the answers, without the calls that have none
     * @throws StoreException if there are fewer than needed
     */
    <K, A> Map<K, A> changeMany(String notDone, Map<K, ScriptCall> calls, Function<Object, A> meaning, Needed needed) {
        return changeMany(notDone, calls, meaning, needed, failure -> null);
    }

    /**
     * Calls scripts for many keys, with an answer for some calls that have none.
     *
     * @param otherwise answers instead; {@code null} where it has no answer either
     */
    <K, A> Map<K, A> changeMany(
            String notDone,
            Map<K, ScriptCall> calls,
            Function<Object, A> meaning,
            Needed needed,
            Function<RuntimeException, @Nullable A> otherwise) {
        Map<K, A> answers = new HashMap<>(calls.size() * 2);
        try {
            sendMany(calls, needed).forEach((key, reply) -> {
                A answer = reply.failure() == null
                        ? meaning.apply(requireNonNull(reply.value()))
                        : otherwise.apply(reply.failure());
                if (answer != null) {
                    answers.put(key, answer);
                }
            });
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, where, failure);
        }
        calls.keySet().stream()
                .filter(answers::containsKey)
                .findAny()
                .ifPresent(answered ->
                        serverCheck.warnOnce(question -> ask(question, requireNonNull(calls.get(answered)))));
        return answers;
    }

    /**
     * Calls scripts for many keys, as {@link #changeMany} does, and waits for no longer than some patience. What is still under way
     * then goes on.
     *
     * @throws StoreException if there is not an answer for each by then
     */
    <K, A> Map<K, A> changeManySoon(
            Duration patience, String notDone, Map<K, ScriptCall> calls, Function<Object, A> meaning) {
        CompletableFuture<Map<K, A>> answers = new CompletableFuture<>();
        CountDownLatch over = new CountDownLatch(1);
        Runnable ask = () -> {
            try {
                answers.complete(changeMany(notDone, calls, meaning, Needed.ALL));
            } catch (RuntimeException | Error unanswered) {
                answers.completeExceptionally(unanswered);
            } finally {
                over.countDown();
            }
        };
        if (!threads.tryToExecute(ask)) {
            ask.run();
        }
        try {
            if (!time.await(over, patience.toNanos())) {
                throw new StoreException(
                        "could not " + notDone + where + ": no answer within " + patience.toMillis() + " ms");
            }
            return answers.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("could not " + notDone + where + ": interrupted", e);
        } catch (CompletionException unanswered) {
            Throwable cause = requireNonNull(unanswered.getCause());
            boolean isShortage = cause instanceof StoreException failure && failure.isShortage();
            throw new StoreException(String.valueOf(cause.getMessage()), cause, isShortage);
        }
    }

    /**
     * Reads the entries of many keys. From a single server by one {@code MGET}, with nothing around it, since this is the
     * hit path; from a cluster by a pipeline, as what one master does not answer is not to fail the others.
     */
    Map<String, byte @Nullable []> readMany(Collection<String> keys, byte[][] redisKeys) {
        try {
            return cluster != null ? readEach(keys, redisKeys) : readAtOnce(keys, redisKeys);
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("read " + redisKeys.length + " keys", where, failure);
        }
    }

    private Map<String, byte @Nullable []> readAtOnce(Collection<String> keys, byte[][] redisKeys) {
        return new RepliesByKey(keys, send(jedis -> jedis.mget(redisKeys)));
    }

    private Map<String, byte @Nullable []> readEach(Collection<String> keys, byte[][] redisKeys) {
        Map<String, EntryRead> reads = new HashMap<>(redisKeys.length * 2);
        int at = 0;
        for (String key : keys) {
            reads.put(key, new EntryRead(redisKeys[at++]));
        }
        Map<String, byte @Nullable []> entries = new HashMap<>(redisKeys.length * 2);
        sendMany(reads, Needed.ANY).forEach((key, reply) -> {
            if (reply.failure() == null) {
                entries.put(key, EntryRead.entry(requireNonNull(reply.value())));
            }
        });
        return entries;
    }

    /**
     * Asks for several things of one key at once.
     *
     * @throws StoreException if one of them has no answer
     */
    <K> Map<K, @Nullable Object> askAll(String notDone, String key, Map<K, ? extends KeyedCommand> questions) {
        try {
            Map<K, @Nullable Object> answers = new HashMap<>(questions.size() * 2);
            sendMany(questions, Needed.ALL).forEach((question, reply) -> answers.put(question, reply.value()));
            return answers;
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, key, where, failure);
        }
    }

    private <K> Map<K, Reply> sendMany(Map<K, ? extends KeyedCommand> commands, Needed needed) {
        Map<K, BatchedCommand> batch = new LinkedHashMap<>(commands.size() * 2);
        commands.forEach((key, command) -> batch.put(key, new BatchedCommand(command)));
        return permits.admit(turn, patience -> {
            send(List.copyOf(batch.values()), patience);
            return replies(batch, needed);
        });
    }

    /** Sends again what was not sent, since no connection was free, while there is patience for it. */
    private void send(List<BatchedCommand> all, Patience patience) {
        List<BatchedCommand> pending = all;
        while (true) {
            new CommandBatch(client, pipelines, onBroken, time).send(pending);
            pending = pending.stream().filter(BatchedCommand::isUnsent).toList();
            if (pending.isEmpty()
                    || !patience.isWaitedFor(
                            requireNonNull(pending.get(0).reply().failure()))) {
                return;
            }
            if (pending.size() == all.size()) { // else some are answered, as of the time at which those were sent
                patience.sending();
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

    /** Measures a round trip; to a cluster, to any of its members. */
    Duration ping() {
        try {
            return send(jedis -> {
                long sent = time.monotonicNanos();
                askOnce(jedis, new CommandArguments(Protocol.Command.PING));
                return Duration.ofNanos(time.monotonicNanos() - sent);
            });
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ping", where, failure);
        }
    }

    /** Returns what there are no connections left for, {@code null} if there are some. */
    @Nullable
    String shortage() {
        return connections.shortage(permits.waiting());
    }

    /** Returns what is known of the server, and of the connections to it. */
    @Override
    public String toString() {
        return (where.isEmpty() ? "on " + client.getClass().getSimpleName() : where.trim()) + ", " + permits;
    }

    /** Asks for the clock of the server; of a cluster, any of its masters answers. */
    RedisTime time() {
        try {
            return RedisTime.in((List<?>) ask(new CommandArguments(Protocol.Command.TIME)));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ask for the time", where, failure);
        }
    }

    private Object ask(CommandArguments question) {
        return cluster == null
                ? send(jedis -> jedis.executeCommand(question))
                : permits.admit(turn, patience -> cluster.ask(question));
    }

    private Object askOnce(UnifiedJedis jedis, CommandArguments question) {
        return cluster == null ? jedis.executeCommand(question) : cluster.ask(question);
    }

    /** Asks the server that has just carried out a command. */
    private Object ask(CommandArguments question, KeyedCommand answered) {
        return cluster == null ? ask(question) : cluster.ask(question, BatchedCommand.key(answered));
    }

    /** Divides keys by the servers that have them, as far as that is known; those come last that do not answer. */
    List<List<String>> groups(Collection<String> keys, Function<String, byte[]> redisKey) {
        if (cluster == null) {
            return List.of(List.copyOf(keys));
        }
        Map<String, List<String>> byMaster = new LinkedHashMap<>();
        keys.forEach(
                key -> byMaster.computeIfAbsent(cluster.knownMaster(redisKey.apply(key)), each -> new ArrayList<>())
                        .add(key));
        return cluster.silent().last(byMaster.keySet(), each -> each).stream()
                .map(byMaster::get)
                .toList();
    }

    private <T> T send(Step<T> step) {
        return permits.admit(turn, patience -> send(step, patience));
    }

    private <T> T send(Step<T> step, Patience patience) {
        boolean isFirst = true;
        MovingSlot slot = null;
        while (true) {
            try {
                return step.send(client);
            } catch (RuntimeException failure) {
                slot = slot == null ? new MovingSlot(time) : slot;
                if (isFirst && RedisFailure.brokenAtOnce(failure)) {
                    onBroken.run();
                    isFirst = false;
                } else if (patience.isWaitedFor(failure)) {
                    patience.sending();
                } else if (!slot.isWaitedFor(failure)) {
                    leaveIfDemoted(failure);
                    throw failure;
                }
            }
        }
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
