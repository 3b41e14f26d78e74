package io.stampedeguard.redis.internal.pipeline;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.ServerBreaker;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/**
 * The pipelines of a cluster. The commands are grouped by the master of their slot, and one round trip sends each master its
 * share; the failure of a master fails its own share only. Masters that are {@linkplain ServerBreaker#isLast() to be used last}
 * are asked after the others, when no connection to another master is held.
 *
 * <p>The pipeline of Jedis needs threads for this, does not report what failed, and leaves connections to two threads at once
 * when its caller is interrupted. <em>Thread-safe.</em>
 */
final class ClusterPipelines implements Pipelines {
    /** The time after which another thread helps with a round trip that stalls. */
    private static final long STALLED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Cluster cluster;
    private final BackgroundThreads threads;
    private final TimeSource time;

    ClusterPipelines(Cluster cluster, BackgroundThreads threads, TimeSource time) {
        this.cluster = cluster;
        this.threads = threads;
        this.time = time;
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
        List<MasterShare> silent = shares.size() == 1
                ? List.of() // not needed
                : shares.stream().filter(MasterShare::isLast).toList();
        new RoundTrip(shares.stream().filter(share -> !silent.contains(share)).toList()).run();
        new RoundTrip(silent).run();
        Reply[] replies = new Reply[commands.size()];
        Arrays.fill(
                replies, Reply.failed(new JedisException(new InterruptedException("while others read the answers"))));
        shares.forEach(share -> share.putReplies(replies));
        return Arrays.asList(replies);
    }

    /** Returns the share of each master, in an order that is the same for all threads, which hold several connections at once. */
    private Collection<MasterShare> shares(List<CommandArguments> commands) {
        String[] masters = cluster.masters();
        Map<String, MasterShare> shares = new TreeMap<>();
        for (int index = 0; index < commands.size(); index++) {
            CommandArguments command = commands.get(index);
            byte[] key = (byte[]) command.getKeys().get(0);
            MasterShare share = shares.computeIfAbsent(
                    masters[Cluster.slot(key)], master -> new MasterShare(key, cluster.breaker(master, key)));
            share.indexes.add(index);
            share.commands.add(command);
        }
        return shares.values();
    }

    /**
     * One round trip to some masters: all shares are sent before the first answer is read, and each connection is returned after
     * its last answer. If the calling thread stalls because a master does not answer, another thread completes the shares that no
     * thread is processing. <em>Thread-safe.</em>
     */
    private final class RoundTrip {
        private final Queue<MasterShare> unsent;
        private final Queue<MasterShare> sent;
        private final CountDownLatch unfinished;

        private RoundTrip(List<MasterShare> shares) {
            this.unsent = new ConcurrentLinkedQueue<>(shares);
            this.sent = new ArrayBlockingQueue<>(
                    Math.max(1, shares.size())); // adding needs no memory, which may be exhausted
            this.unfinished = new CountDownLatch(shares.size());
        }

        /** Completes the shares. Blocks; if the thread is interrupted, other threads may still be completing some. */
        private void run() {
            if (unfinished.getCount() > 1) {
                helpLater();
            }
            try {
                completeAll();
                while (unfinished.getCount() > 0 && !time.await(unfinished, STALLED_NANOS)) {
                    completeAll(); // what another thread has left behind, because of an error
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally { // after an error, or an interrupt, some may be left
                unsent.clear();
                for (MasterShare share = sent.poll(); share != null; share = sent.poll()) {
                    share.giveBack();
                }
            }
        }

        private void completeAll() {
            for (MasterShare share = unsent.poll(); share != null; share = unsent.poll()) {
                try {
                    share.send();
                } finally {
                    sent.add(share);
                }
            }
            for (MasterShare share = sent.poll(); share != null; share = sent.poll()) {
                try {
                    share.read();
                } finally {
                    unfinished.countDown();
                }
            }
        }

        /** Lets another thread help, and again if that one stalls as well. */
        private void helpLater() {
            try {
                time.schedule(STALLED_NANOS, () -> {
                    if (!unsent.isEmpty() || !sent.isEmpty()) {
                        threads.tryToExecute(this::completeAll);
                        helpLater();
                    }
                });
            } catch (OutOfMemoryError noTimer) { // without help until a thread can be started
            }
        }
    }

    /**
     * The share of one master in many commands, on one connection, behind the circuit breaker of that master. For one thread at a
     * time.
     */
    private final class MasterShare {
        private final List<Integer> indexes = new ArrayList<>();
        private final List<CommandArguments> commands = new ArrayList<>();
        private final byte[] key;
        private final @Nullable ServerBreaker breaker;
        private long sentNanos;
        private boolean isSent;
        private @Nullable Connection connection;
        private @Nullable RuntimeException failure;
        private @Nullable Error error;
        private boolean isAnswered;
        private volatile @Nullable List<Reply> replies;

        /** Creates an empty share; {@code key} is one that the master has, whose circuit breaker is {@code null} if it is unknown. */
        private MasterShare(byte[] key, @Nullable ServerBreaker breaker) {
            this.key = key;
            this.breaker = breaker;
        }

        private boolean isLast() {
            return breaker != null && breaker.isLast();
        }

        private void send() {
            try {
                if (breaker != null) {
                    breaker.begin();
                    breaker.check();
                }
                sentNanos = time.monotonicNanos();
                if (breaker != null && Thread.currentThread().isInterrupted() && !breaker.awaitAnswer()) {
                    failure = new JedisException(new InterruptedException("while the master is in doubt"));
                    return;
                }
                Connection borrowed = cluster.connection(key);
                sentNanos = time.monotonicNanos();
                connection = borrowed;
                commands.forEach(borrowed::sendCommand);
                borrowed.getMany(0); // sends everything, reads nothing
                isSent = true;
            } catch (ServerBreaker.Open unasked) {
                failure = unasked;
            } catch (RuntimeException | Error unsent) {
                fail(unsent);
            }
        }

        /** Reads the answers, and returns the connection. */
        private void read() {
            try {
                replies = answers();
            } finally {
                giveBack();
            }
        }

        private List<Reply> answers() {
            List<Reply> all = new ArrayList<>(commands.size());
            if (failure == null && !isSent) {
                failure = new JedisException("the thread that was to send it has failed");
            }
            try {
                while (failure == null && all.size() < commands.size()) {
                    all.add(Reply.next(requireNonNull(connection)));
                }
                if (failure == null) {
                    isAnswered = true;
                    if (breaker != null) {
                        breaker.answered(sentNanos);
                    }
                }
            } catch (RuntimeException | Error broken) {
                fail(broken);
            }
            if (failure != null) {
                all.addAll(Collections.nCopies(commands.size() - all.size(), Reply.failed(failure)));
            }
            return all;
        }

        private void fail(Throwable thrown) {
            try {
                failure = thrown instanceof Error e ? RedisFailure.ofUserCode(e) : (RuntimeException) thrown;
                if (RedisFailure.brokenAtOnce(failure)) {
                    cluster.closeIdle(key);
                }
                if (breaker != null) {
                    breaker.failed(sentNanos, failure);
                }
            } catch (Error fatal) { // for the calling thread, which is not necessarily this one
                error = fatal;
                failure = new JedisException(fatal);
            }
        }

        /** The next user of the connection must not read an answer to a command of this share. */
        private void giveBack() {
            if (breaker != null) {
                breaker.end(isAnswered);
            }
            if (connection != null && !isAnswered) {
                connection.setBroken();
            }
            IOUtils.closeQuietly(connection);
        }

        /** Stores the replies at their indexes, none if the share is not complete; throws an error that is fatal for the thread. */
        private void putReplies(Reply[] all) {
            List<Reply> own = replies;
            for (int i = 0; own != null && i < own.size(); i++) {
                all[indexes.get(i)] = own.get(i);
            }
            if (own != null && error != null) {
                throw error;
            }
        }
    }
}
