package io.stampedeguard.redis.internal.pipeline;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/**
 * The pipelines of a cluster: the commands are grouped by the master of their slot, and a {@link ClusterRound} sends each
 * master its share. The failure of a master fails its own share only.
 *
 * <p>The pipeline of Jedis needs threads for this, does not report what failed, and leaves connections to two threads at once
 * when its caller is interrupted. <em>Thread-safe.</em>
 */
final class ClusterPipelines implements Pipelines {
    private final Cluster cluster;
    private final RoundWatch rounds;

    ClusterPipelines(Cluster cluster, BackgroundThreads threads, TimeSource time) {
        this.cluster = cluster;
        this.rounds = new RoundWatch(threads, time);
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public List<Reply> send(List<CommandArguments> commands) {
        Collection<MasterShare> shares;
        try {
            shares = shares(commands);
        } catch (RuntimeException unknown) {
            return Collections.nCopies(commands.size(), Reply.failed(unknown));
        }
        ClusterRound round = new ClusterRound(cluster, cluster.silent().last(shares, MasterShare::master));
        rounds.begin(round);
        try {
            return round.run(commands.size());
        } finally {
            rounds.end(round);
        }
    }

    private Collection<MasterShare> shares(List<CommandArguments> commands) {
        String[] masters = cluster.masters();
        Map<String, MasterShare> shares = new TreeMap<>();
        for (int place = 0; place < commands.size(); place++) {
            CommandArguments command = commands.get(place);
            byte[] key = (byte[]) command.getKeys().get(0);
            shares.computeIfAbsent(masters[Cluster.slot(key)], master -> new MasterShare(cluster, master, key))
                    .add(place, command);
        }
        return shares.values();
    }

    /**
     * One round trip to some masters of a cluster:
     *
     * <ol>
     *   <li>each master receives its share, and no answer is read before all shares are sent;
     *   <li>then the answers are read, and each connection is returned after its last answer;
     *   <li>masters that did not answer recently come last: the thread does not wait for them while it has a connection to
     *       another;
     *   <li>if the thread stalls because a master stops answering, other threads complete the other shares ({@link #takeOver}).
     * </ol>
     *
     * <p><em>Thread-safe.</em>
     */
    static final class ClusterRound {
        private final Cluster cluster;
        private final List<MasterShare> shares;
        private final CountDownLatch over;

        /** Creates a round of at least one share; those of silent masters come last. */
        ClusterRound(Cluster cluster, List<MasterShare> shares) {
            this.cluster = cluster;
            this.shares = shares;
            this.over = new CountDownLatch(shares.size());
        }

        /** Runs the round, and returns the reply to each of the commands. Blocks; does not throw. */
        List<Reply> run(int commands) {
            try {
                List<MasterShare> answering = shares.stream()
                        .filter(share -> !cluster.silent().isSilent(share.master()))
                        .toList();
                answering.forEach(MasterShare::send);
                answering.forEach(share -> share.finish(over));
                shares.forEach(share -> share.finish(over));
                over.await();
            } catch (InterruptedException e) { // other threads continue, and return their connections
                Thread.currentThread().interrupt();
            } finally {
                shares.forEach(MasterShare::abandon);
            }
            Reply[] replies = new Reply[commands];
            Arrays.fill(
                    replies,
                    Reply.failed(new JedisException(new InterruptedException("while others read the answers"))));
            shares.forEach(share -> share.putReplies(replies));
            return Arrays.asList(replies);
        }

        /** Completes the shares that no thread is processing, the last first. Blocks. */
        void takeOver() {
            for (int i = shares.size() - 1; i >= 0; i--) {
                shares.get(i).finish(over);
            }
        }

        /** Marks masters with overdue answers as late, and returns whether another thread can help. */
        boolean markStalled() {
            boolean canHelp = false;
            for (MasterShare share : shares) {
                canHelp |= share.isUpForTaking();
                if (!share.isOver()) {
                    cluster.silent().noteLate(share.master());
                }
            }
            return canHelp && shares.size() > 1;
        }
    }

    /**
     * The watch on running rounds: a timer checks them 20 times a second. A thread per share would have to be woken in each
     * round, so only a round that was already running at the previous check gets another thread. <em>Thread-safe.</em>
     */
    static final class RoundWatch {
        private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

        /** The running rounds, and whether a check has seen them. */
        private final Map<ClusterRound, Boolean> underWay = new ConcurrentHashMap<>();

        private final AtomicBoolean looking = new AtomicBoolean();
        private final BackgroundThreads threads;
        private final TimeSource time;

        RoundWatch(BackgroundThreads threads, TimeSource time) {
            this.threads = threads;
            this.time = time;
        }

        void begin(ClusterRound round) {
            underWay.put(round, false);
            lookLater();
        }

        void end(ClusterRound round) {
            underWay.remove(round);
        }

        private void lookLater() {
            if (!looking.get() && looking.compareAndSet(false, true)) {
                try {
                    time.schedule(LOOK_NANOS, this::look);
                } catch (OutOfMemoryError noThread) { // without a timer until a thread can be started
                    looking.set(false);
                }
            }
        }

        private void look() {
            underWay.forEach((round, wasSeen) -> {
                if (wasSeen && round.markStalled()) {
                    threads.tryToExecute(round::takeOver);
                }
                underWay.replace(round, true);
            });
            looking.set(false);
            if (!underWay.isEmpty()) {
                lookLater();
            }
        }
    }

    /**
     * The share of one master of a cluster in many commands, on one connection, behind the circuit breaker of that master. One
     * thread fills it. Then each of its stages is
     * done by one thread: sending, and reading to the end. <em>Thread-safe</em> once it is filled.
     */
    static final class MasterShare {
        private final List<Integer> places = new ArrayList<>();
        private final List<CommandArguments> commands = new ArrayList<>();
        private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.FILLED);
        private final Cluster cluster;
        private final String master;
        private final byte[] key;
        private final @Nullable ServerBreaker breaker;
        private long sentNanos;
        private @Nullable Connection connection;
        private @Nullable RuntimeException failure;
        private List<Reply> replies = List.of();
        private boolean isAnswered;

        private enum Stage {
            FILLED,
            IN_SENDING,
            SENT,
            TAKEN,
            OVER
        }

        /** Creates an empty share; {@code key} is one that the master has. */
        MasterShare(Cluster cluster, String master, byte[] key) {
            this.cluster = cluster;
            this.master = master;
            this.key = key;
            this.breaker = cluster.breaker(master, key);
        }

        String master() {
            return master;
        }

        /** Adds a command; {@code place} is the index of its reply. */
        void add(int place, CommandArguments command) {
            places.add(place);
            commands.add(command);
        }

        /** Sends all, unless another thread does. */
        void send() {
            if (stage.compareAndSet(Stage.FILLED, Stage.IN_SENDING)) {
                try {
                    sendAll();
                } finally {
                    stage.set(Stage.SENT);
                }
            }
        }

        /** Completes the share, unless another thread does; then counts {@code over} down. */
        void finish(CountDownLatch over) {
            boolean isUnsent = stage.compareAndSet(Stage.FILLED, Stage.TAKEN);
            if (!isUnsent && !stage.compareAndSet(Stage.SENT, Stage.TAKEN)) {
                return;
            }
            try {
                if (isUnsent) {
                    sendAll();
                }
                replies = readAll();
            } finally {
                giveBack();
                stage.set(Stage.OVER);
                over.countDown();
            }
        }

        void abandon() {
            if (stage.compareAndSet(Stage.FILLED, Stage.TAKEN) || stage.compareAndSet(Stage.SENT, Stage.TAKEN)) {
                giveBack();
            }
        }

        /** Returns whether another thread can complete it. */
        boolean isUpForTaking() {
            Stage now = stage.get();
            return now == Stage.FILLED || now == Stage.SENT;
        }

        boolean isOver() {
            return stage.get() == Stage.OVER;
        }

        /** Stores the replies at their indexes; none if the share is not complete. */
        void putReplies(Reply[] all) {
            if (isOver()) {
                for (int i = 0; i < replies.size(); i++) {
                    all[places.get(i)] = replies.get(i);
                }
            }
        }

        private void sendAll() {
            try {
                if (breaker != null) {
                    breaker.check();
                }
                sentNanos = cluster.monotonicNanos();
                if (!cluster.silent().awaitMaster(master)) {
                    failure = new Pipelines.NotAsked();
                    tell(failure);
                    return;
                }
                Connection borrowed = cluster.connection(key);
                sentNanos = cluster.monotonicNanos();
                connection = borrowed;
                commands.forEach(borrowed::sendCommand);
                borrowed.getMany(0); // sends everything, reads nothing
            } catch (ServerBreaker.Open unasked) {
                failure = unasked;
            } catch (RuntimeException unsent) {
                failed(unsent);
            } catch (Error thrown) {
                failure = new JedisException(thrown); // kept if it is fatal here: another thread may complete the share
                failed(RedisFailure.ofUserCode(thrown));
            }
        }

        private List<Reply> readAll() {
            List<Reply> all = new ArrayList<>(commands.size());
            while (failure == null && all.size() < commands.size()) {
                try {
                    all.add(Reply.of(requireNonNull(connection).getOne()));
                } catch (JedisDataException refused) {
                    all.add(Reply.failed(refused));
                } catch (RuntimeException broken) {
                    failed(broken);
                } catch (OutOfMemoryError tooLarge) {
                    failed(RedisFailure.tooLarge(tooLarge));
                }
            }
            if (failure == null) {
                isAnswered = true;
                cluster.silent().answered(master);
                if (breaker != null) {
                    breaker.answered(sentNanos);
                }
            } else {
                all.addAll(Collections.nCopies(commands.size() - all.size(), Reply.failed(failure)));
            }
            return all;
        }

        private void failed(RuntimeException why) {
            failure = why;
            cluster.silent().failed(master, key, why);
            tell(why);
        }

        private void tell(RuntimeException why) {
            if (breaker != null) {
                breaker.failed(sentNanos, why);
            }
        }

        /** The next user of the connection must not read an answer to a command of this share. */
        private void giveBack() {
            if (connection != null && !isAnswered) {
                connection.setBroken();
            }
            IOUtils.closeQuietly(connection);
        }
    }
}
