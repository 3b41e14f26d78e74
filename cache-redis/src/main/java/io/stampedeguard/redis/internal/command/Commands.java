package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.CommandBatch.BatchedCommand;
import io.stampedeguard.redis.internal.command.CommandSender.Changes;
import io.stampedeguard.redis.internal.command.CommandSender.Spare;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ConnectionPermits;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.connect.ServerCheck;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The commands of a store: reads and changes of keys, and queries to the server. {@link CommandSender} sends them. Each failure
 * is a {@link StoreException}, also if Jedis cannot parse an answer. <em>Thread-safe.</em>
 */
public final class Commands {
    private static final Script RIGHTS = Script.load("rights");
    private static final byte[] ANY_KEY = "stampedeguard:rights".getBytes(StandardCharsets.US_ASCII);

    private static final Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    private final RedisKeys keys;
    private final UnifiedJedis client;
    private final ClientConnections connections;
    private final BackgroundThreads threads;
    private final @Nullable Breakers breakers;
    private final ConnectionPermits permits;
    private final CommandSender sender;
    /** For lease holders, while callers use all connections of the client: it has its own. */
    private final @Nullable Spare spare;
    /** For renewals only. No caller's thread uses its connections, or waits for them. */
    private final @Nullable Spare renewals;

    private final Generations generations;
    private final EntryReads reads;
    private final Changes changes;
    private final @Nullable Cluster cluster;
    private final Duration borrowTimeout;
    private final String where;
    private final TimeSource time;
    private final ServerCheck serverCheck;
    private volatile boolean isServerChecked;
    private volatile boolean refusesChanges;

    /**
     * Creates the commands of a client: {@code borrowTimeout} limits the wait of a caller without a deadline, {@code where} is the
     * address for messages, empty if unknown. The circuit breaker takes an answer for slow that takes longer than the fastest one by
     * {@code slow}; {@code null} means that there is none, on a cluster that no answer is slow. {@code isCombined}: concurrent
     * callers' requests travel together.
     */
    public Commands(
            UnifiedJedis client,
            ClientConnections connections,
            Duration borrowTimeout,
            String where,
            @Nullable Duration slow,
            boolean isCombined,
            RedisKeys keys,
            TimeSource time) {
        this.keys = keys;
        this.client = client;
        this.connections = connections;
        this.threads = new BackgroundThreads("stampedeguard-redis-calls", time);
        boolean isOnCluster = connections.cluster() != null;
        this.breakers = slow == null && !isOnCluster
                ? null
                : new Breakers(slow == null ? NEVER : slow, this::refusal, threads, time);
        ServerBreaker breaker = breakers == null || isOnCluster
                ? null
                : breakers.of(where, where, sending -> connections.pingNanos(time, sending));
        this.permits = new ConnectionPermits(connections.most(), breaker, time);
        this.sender = new CommandSender(
                client,
                Pipelines.of(client, connections, breakers, threads, time),
                permits,
                connections::closeIdle,
                time);
        this.spare = connections.showsOnePool() ? Spare.of(connections, breaker, time) : null;
        this.renewals = connections.showsOnePool() ? Spare.of(connections, breaker, time) : null;
        this.generations = new Generations(this, keys, threads, isOnCluster, time);
        this.reads = new EntryReads(sender, generations, isCombined, this::where, time);
        this.changes = new Changes(this, isCombined ? generations.isOfCluster : new AtomicBoolean(true), time);
        this.cluster = sender.cluster();
        this.borrowTimeout = borrowTimeout;
        this.where = where;
        this.time = time;
        this.serverCheck = new ServerCheck(
                where, key -> RIGHTS.call(List.of(), key).toSendWithScript(), generations::foundCluster);
    }

    Generations generations() {
        return generations;
    }

    EntryReads reads() {
        return reads;
    }

    public Duration borrowTimeout() {
        return borrowTimeout;
    }

    public Turn defaultTurn() {
        return Turn.of(borrowTimeout);
    }

    /** Returns the circuit breakers, {@code null} if there are none. */
    public @Nullable Breakers breakers() {
        return breakers;
    }

    /** Notes that a server has not answered a ping since a (monotonic) time, on a connection that no caller uses. */
    public void silent(Object server, long sinceNanos) {
        ServerBreaker ofServer = breakers == null ? null : breakers.of(where);
        ServerBreaker breaker = cluster == null ? ofServer : cluster.breakerAt(server.toString());
        if (breaker != null) {
            breaker.failed(sinceNanos, new JedisConnectionException("no answer to a ping"));
        }
    }

    /** Ends the work in the background. The client is not closed. */
    public void close() {
        generations.close();
        if (breakers != null) {
            breakers.close();
        }
        if (spare != null) {
            spare.connections().close();
        }
        if (renewals != null) {
            renewals.connections().close();
        }
    }

    /** Lets the sender for a turn make a call: a lease holder does not wait for a connection that a caller uses. */
    <T extends @Nullable Object> T sendBy(Turn turn, Function<CommandSender, T> call) {
        if (spare == null || !turn.holdsLease()) {
            return call.apply(sender);
        }
        try {
            return call.apply(connections.isAnyFree() && permits.tryToReserve(turn) ? sender : spare.sender());
        } finally {
            permits.endReservation(turn);
        }
    }

    /** Throws {@link ServerBreaker.Open} if the single server is not to be asked now. */
    void check(Turn turn) {
        permits.check(turn);
    }

    public Turn turnOfLeaseHolder() {
        return Turn.ofLeaseHolder(borrowTimeout);
    }

    public String where() {
        return where;
    }

    @Nullable
    public Cluster cluster() {
        return cluster;
    }

    /** Which of many commands must have an answer; with {@code REPLY}, a refusal is one, as each command has its own caller. */
    public enum Needed {
        ANY,
        ALL,
        REPLY
    }

    /** Sends the change of one key; {@code notDone} is the failed action for messages. */
    public <T> T change(Turn turn, String notDone, String key, KeyedCommand command, Function<Object, T> meaning) {
        T answer;
        try {
            answer = meaning.apply(
                    cluster == null ? changes.send(turn, command) : requireNonNull(sender.sendOne(turn, command)));
        } catch (RuntimeException failure) {
            refusesChanges = failure instanceof JedisDataException;
            if (refusesChanges) {
                checkServer(command);
            }
            if (failure instanceof JedisDataException refusal && RedisFailure.isOfSeveralSlots(refusal)) {
                generations.foundCluster();
            }
            throw RedisFailure.toStoreException(notDone, key, where(failure), failure);
        }
        if (refusesChanges) {
            refusesChanges = false;
        }
        if (!isServerChecked) {
            checkServer(command);
        }
        return answer;
    }

    /** Returns whether the last change was refused: what a plain command begins, no script can end then. */
    boolean refusesChanges() {
        return refusesChanges;
    }

    /** Checks the server in the background, since the caller may hold a lease that is not renewed yet. */
    private void checkServer(KeyedCommand answered) {
        isServerChecked = true;
        if (serverCheck.begin()) {
            threads.execute(() -> serverCheck.warn(
                    BatchedCommand.key(answered), question -> sender.ask(defaultTurn(), question, answered)));
        }
    }

    /** Returns why the server cannot be used, {@code null} if it can; warns as documented in {@link ServerCheck}. */
    public @Nullable String serverComplaint() {
        return serverCheck.complaint(ANY_KEY, question -> sender.ask(defaultTurn(), question));
    }

    /** Returns the permissions that are missing, as documented in {@link ServerCheck#missingRights}. */
    public String missingRights() {
        return serverCheck.missingRights(ANY_KEY, question -> sender.ask(defaultTurn(), question));
    }

    /**
     * Calls scripts for many keys of the caller's choice, as documented in {@link CommandBatch}. Returns the answers, without the
     * calls that have none; throws a {@link StoreException} if there are fewer than needed.
     */
    public <K, A> Map<K, A> changeMany(
            Turn turn, String notDone, Map<K, Script.Call> calls, Function<Object, A> meaning, Needed needed) {
        return changeMany(turn, notDone, calls, meaning, needed, failure -> null);
    }

    /** Like the other method, but uses {@code otherwise} for a call without an answer, unless it returns {@code null}. */
    <K, A> Map<K, A> changeMany(
            Turn turn,
            String notDone,
            Map<K, Script.Call> calls,
            Function<Object, A> meaning,
            Needed needed,
            Function<RuntimeException, @Nullable A> otherwise) {
        return sendBy(turn, by -> changeMany(by, turn, notDone, calls, meaning, needed, otherwise));
    }

    private <K, A> Map<K, A> changeMany(
            CommandSender by,
            Turn turn,
            String notDone,
            Map<K, Script.Call> calls,
            Function<Object, A> meaning,
            Needed needed,
            Function<RuntimeException, @Nullable A> otherwise) {
        Map<K, A> answers = new HashMap<>(calls.size() * 2);
        try {
            Iterator<Reply> replies =
                    by.sendEach(turn, () -> List.copyOf(calls.values()), needed).iterator();
            for (K key : calls.keySet()) {
                Reply reply = replies.next();
                A answer = reply.failure() == null
                        ? meaning.apply(requireNonNull(reply.value()))
                        : otherwise.apply(reply.failure());
                if (answer != null) {
                    answers.put(key, answer);
                }
            }
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, where(failure), failure);
        }
        if (!isServerChecked && !answers.isEmpty()) {
            checkServer(requireNonNull(calls.get(answers.keySet().iterator().next())));
        }
        return answers;
    }

    /**
     * Like {@link #changeMany}, but over connections that no caller uses, and waits no longer than a limit; then it throws a
     * {@link StoreException} unless all calls are answered. Commands that are still running continue.
     */
    public <K, A> Map<K, A> changeManySoon(
            Turn turn, Duration patience, String notDone, Map<K, Script.Call> calls, Function<Object, A> meaning) {
        CompletableFuture<Map<K, A>> answers = new CompletableFuture<>();
        CountDownLatch over = new CountDownLatch(1);
        Runnable ask = () -> {
            try {
                CommandSender by = renewals == null ? sender : renewals.sender();
                answers.complete(changeMany(by, turn, notDone, calls, meaning, Needed.ALL, failure -> null));
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

    /** Sends several reads of one key at once; throws a {@link StoreException} if one of them is not answered. */
    List<@Nullable Object> requestAll(Turn turn, String notDone, String key, List<? extends KeyedCommand> questions) {
        try {
            List<@Nullable Object> answers = new ArrayList<>(questions.size());
            sender.sendEach(turn, () -> questions, Needed.ALL).forEach(reply -> answers.add(reply.value()));
            return answers;
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, key, where(failure), failure);
        }
    }

    /** Sends plain commands for one key to a single server, which executes them in their order; returns what they mean. */
    <T extends @Nullable Object> T sendInOrder(
            Turn turn,
            String notDone,
            String key,
            List<KeyedCommand> inOrder,
            Function<List<@Nullable Object>, T> meaning) {
        try {
            return meaning.apply(changes.send(turn, inOrder));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException(notDone, key, where(failure), failure);
        }
    }

    public Duration ping() {
        try {
            return sender.send(defaultTurn().regardless(), jedis -> {
                long sent = time.monotonicNanos();
                CommandArguments ping = new CommandArguments(Protocol.Command.PING);
                requireNonNull(cluster == null ? jedis.executeCommand(ping) : cluster.ask(ping));
                return Duration.ofNanos(time.monotonicNanos() - sent);
            });
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("ping", where(failure), failure);
        }
    }

    /** Returns the failure of a read that would not be sent now, {@code null} if it would be. */
    private @Nullable StoreException refusal(String key) {
        String server = cluster == null ? where : cluster.knownMaster(keys.value(key));
        ServerBreaker breaker = requireNonNull(breakers).of(server);
        RuntimeException open = breaker == null ? null : breaker.refusalIfOpen();
        return open == null ? null : RedisFailure.toStoreException("read", key, where, open);
    }

    /** Returns where a request failed, for its message: the address, and how many callers share the connections if none was free. */
    private String where(RuntimeException failure) {
        String shortage = RedisFailure.isShortage(failure) ? connections.shortage(permits.waiting()) : null;
        return shortage == null ? where : where + " (" + shortage + ")";
    }

    @Override
    public String toString() {
        String server = where.isEmpty() ? "on " + client.getClass().getSimpleName() : where.trim();
        String condition = breakers == null || breakers.breaker() == BreakerState.CLOSED
                ? server + ", answers"
                : breakers.condition();
        return condition + permits;
    }

    /** Returns the server's clock in nanoseconds since the epoch; on a cluster, that of any master. */
    public long timeNanos(Turn turn) {
        try {
            return StoreClock.nanosIn((List<?>) sender.ask(turn, new CommandArguments(Protocol.Command.TIME)));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("read the server's time", where(failure), failure);
        }
    }
}
