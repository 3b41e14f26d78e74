package io.stampedeguard.redis.internal.pipeline;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/**
 * The share of one master of a cluster in many commands, on one connection. One thread fills it. Then each of its stages is
 * done by one thread: sending, and reading to the end. <em>Thread-safe</em> once it is filled.
 */
final class MasterShare {
    private final List<Integer> places = new ArrayList<>();
    private final List<CommandArguments> commands = new ArrayList<>();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.FILLED);
    private final Cluster cluster;
    private final String master;
    private final byte[] key;
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

    /**
     * Creates an empty share.
     *
     * @param key a key that the master has
     */
    MasterShare(Cluster cluster, String master, byte[] key) {
        this.cluster = cluster;
        this.master = master;
        this.key = key;
    }

    String master() {
        return master;
    }

    /**
     * Adds a command.
     *
     * @param place the index of its reply
     */
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

    /**
     * Completes the share, unless another thread does.
     *
     * @param over counted down at the end
     */
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

    /** Stops sending and reading. */
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
            if (!cluster.silent().mayBeAsked(master)) {
                failure = new Pipelines.NotAsked();
                return;
            }
            Connection borrowed = cluster.connection(key);
            connection = borrowed;
            commands.forEach(borrowed::sendCommand);
            borrowed.getMany(0); // sends everything, reads nothing
        } catch (RuntimeException unsent) {
            failed(unsent);
        } catch (Error fatal) { // of this thread: another one may still complete the share
            failure = new JedisException(fatal);
            throw fatal;
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
            }
        }
        if (failure == null) {
            isAnswered = true;
            cluster.silent().answered(master);
        } else {
            all.addAll(Collections.nCopies(commands.size() - all.size(), Reply.failed(failure)));
        }
        return all;
    }

    private void failed(RuntimeException why) {
        failure = why;
        cluster.silent().failed(master, key, why);
    }

    /** The next user of the connection must not read an answer to a command of this share. */
    private void giveBack() {
        if (connection != null && !isAnswered) {
            connection.setBroken();
        }
        IOUtils.closeQuietly(connection);
    }
}
