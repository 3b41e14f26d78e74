package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.connect.JedisVersion;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.NoticeConnection;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A connection on which a server sends messages. One thread reads; any thread sends:
 *
 * <ol>
 *   <li>commands are queued in the order in which answers are expected;
 *   <li>a thread that finds no other thread sending sends the whole queue, while the others continue;
 *   <li>a connection that is silent for longer than a ping takes is cut, which unblocks any thread in it.
 * </ol>
 *
 * <p>Commands are queued, and expected answers removed, under a lock of the owner. <em>Thread-safe</em> otherwise.
 */
public final class SubscriberConnection {
    public static final long PING_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long DEFAULT_TIMEOUT_MILLIS = 2_000;

    private final Queue<CommandArguments> outgoing = new ConcurrentLinkedQueue<>();
    private final Deque<Sent> unanswered = new ArrayDeque<>();
    private final ReentrantLock sending = new ReentrantLock();
    private final Object place;
    private final Connection connection;
    private final long timeoutMillis;
    private boolean sharded;
    private boolean looks;
    private long usedNanos;
    private volatile boolean cut;

    public SubscriberConnection(NoticeConnection opened, boolean sharded, long nowNanos) {
        this.usedNanos = nowNanos;
        this.place = opened.place();
        this.connection = opened.connection();
        int timeout = connection.getSoTimeout();
        this.timeoutMillis = timeout > 0 ? timeout : DEFAULT_TIMEOUT_MILLIS;
        this.sharded = sharded;
    }

    public enum Word {
        SUBSCRIBE,
        UNSUBSCRIBE,
        PING,
        /** Switches to RESP3, in which a connection with subscriptions may send any command. */
        HELLO,
        /** Reads who holds the lease that is named like the channel. */
        LOOK
    }

    /** A command without an answer yet; {@code channel} is empty for none. The {@code looker} takes what a look has found. */
    public record Sent(Word word, String channel, Consumer<byte @Nullable []> looker) {}

    public Object place() {
        return place;
    }

    boolean isSharded() {
        return sharded;
    }

    /** Switches to plain channels, because the server does not support others. */
    void goPlain() {
        sharded = false;
    }

    /** Notes whether the connection is in use, and returns for how long it has been idle. For one thread at a time. */
    long idleNanos(boolean used, long nowNanos) {
        if (used) {
            usedNanos = nowNanos;
        }
        return nowNanos - usedNanos;
    }

    /** Queues a command, which {@link #flush} sends. */
    public void say(Word word, String channel) {
        say(word, channel, head -> {});
    }

    private void say(Word word, String channel, Consumer<byte @Nullable []> looker) {
        unanswered.add(new Sent(word, channel, looker));
        CommandArguments command = new CommandArguments(command(word));
        if (!channel.isEmpty()) {
            command.add(channel.getBytes(StandardCharsets.ISO_8859_1));
        }
        switch (word) {
            case HELLO -> command.add(3);
            case LOOK -> command.add(0).add(LeaseToken.BYTES - 1);
            default -> {}
        }
        outgoing.add(command);
    }

    /** Queues the switch to RESP3, in which looks are possible; if the server refuses it, {@link #cannotLook}. */
    void beginLooking() {
        looks = true;
        say(Word.HELLO, "");
    }

    void cannotLook() {
        looks = false;
    }

    boolean looks() {
        return looks;
    }

    /** Queues a look at the lease that is named like the channel; the looker takes its token, or whatever is in its place. */
    void look(String channel, Consumer<byte @Nullable []> looker) {
        say(Word.LOOK, channel, looker);
    }

    private Protocol.Command command(Word word) {
        return switch (word) {
            case SUBSCRIBE -> sharded ? Protocol.Command.SSUBSCRIBE : Protocol.Command.SUBSCRIBE;
            case UNSUBSCRIBE -> sharded ? Protocol.Command.SUNSUBSCRIBE : Protocol.Command.UNSUBSCRIBE;
            case PING -> Protocol.Command.PING;
            case HELLO -> Protocol.Command.HELLO;
            case LOOK -> Protocol.Command.GETRANGE;
        };
    }

    @Nullable
    public Sent expected() {
        return unanswered.peek();
    }

    public void answered() {
        unanswered.poll();
    }

    /** Returns whether a command for a channel is unanswered. */
    public boolean awaits(String channel) {
        return unanswered.stream().anyMatch(sent -> sent.channel().equals(channel));
    }

    boolean awaitsPong() {
        return unanswered.stream().anyMatch(sent -> sent.word() == Word.PING);
    }

    /** Sends the queue, unless another thread is sending it. */
    public void flush() {
        while (!outgoing.isEmpty() && !cut && sending.tryLock()) {
            try {
                sendAll();
            } catch (RuntimeException broken) { // also of a socket factory: Jedis connects again if it was just cut
                cut();
            } catch (Error thrown) {
                cut();
                RedisFailure.ofUserCode(thrown); // unless it is fatal
            } finally {
                sending.unlock();
            }
        }
    }

    private void sendAll() {
        CommandArguments command = outgoing.poll();
        while (command != null && !cut) {
            connection.sendCommand(command);
            command = outgoing.poll();
        }
        connection.getMany(0); // flushes, and reads nothing
    }

    /** Passes answers and messages to a reader, on this thread, until the connection is cut. */
    public void read(Reader reader) {
        try {
            connection.setSoTimeout((int) silenceMillis());
            while (!cut) {
                NoticeReply.read(connection, reader);
            }
        } finally {
            end();
        }
    }

    private long silenceMillis() {
        return 2 * TimeUnit.NANOSECONDS.toMillis(PING_NANOS) + timeoutMillis;
    }

    /** Returns how long an answer to a command may take. */
    public long timeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    public void cut() {
        cut = true;
        closeHard(connection);
    }

    /** Closes it under the lock of senders: a sender that did not see the cut may have made Jedis reconnect. */
    private void end() {
        cut();
        sending.lock();
        try {
            cut();
            connection.close();
        } finally {
            sending.unlock();
        }
    }

    /**
     * Closes a connection that another thread reads or writes, without waiting for that thread. Jedis 6 has no method for it:
     * its {@code disconnect} writes first, and a server that does not read can block that.
     */
    private static void closeHard(Connection connection) {
        try {
            disconnect(connection);
        } catch (IOException alreadyGone) {
            // The connection is to be closed anyway.
        }
    }

    private static void disconnect(Connection connection) throws IOException {
        try {
            connection.forceDisconnect();
        } catch (NoSuchMethodError jedis6) {
            connection.setBroken();
            Closeable socket = socket(connection);
            if (socket != null) {
                socket.close();
            }
        }
    }

    private static @Nullable Closeable socket(Connection connection) {
        try {
            Field field = Connection.class.getDeclaredField("socket");
            field.setAccessible(true);
            return (Closeable) field.get(connection);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalStateException(
                    "Jedis " + JedisVersion.found() + " does not show the socket of a connection", e);
        }
    }

    /** A reader of answers and messages. */
    public interface Reader {
        /** A command was answered, or a subscription was ended by the server. */
        void answered(Word word, String channel);

        void refused(JedisDataException why);

        /** A command was answered by something that names no channel. */
        default void replied(Object reply) {
            answered(Word.PING, "");
        }

        void message(String channel, byte[] message);
    }

    /** The parser of replies on a connection with subscriptions, in RESP2 and RESP3. */
    static final class NoticeReply {
        private NoticeReply() {}

        /** Waits for one reply and passes it to the reader. */
        static void read(Connection connection, Reader reader) {
            Object reply;
            try {
                reply = connection.getUnflushedObject();
            } catch (JedisDataException refusal) {
                reader.refused(refusal);
                return;
            }
            if (reply instanceof List<?> parts && parts.size() >= 2 && parts.get(0) instanceof byte[] kind) {
                parse(text(kind), parts, reader);
            } else {
                reader.replied(reply);
            }
        }

        private static void parse(String kind, List<?> parts, Reader reader) {
            switch (kind) {
                case "message", "smessage" -> reader.message(text(parts.get(1)), bytes(parts.get(2)));
                case "subscribe", "ssubscribe" -> reader.answered(Word.SUBSCRIBE, text(parts.get(1)));
                case "unsubscribe", "sunsubscribe" -> reader.answered(Word.UNSUBSCRIBE, text(parts.get(1)));
                case "pong" -> reader.answered(Word.PING, "");
                default -> throw new JedisException("unknown kind of message '" + kind + "'");
            }
        }

        private static String text(Object bytes) {
            return new String(bytes(bytes), StandardCharsets.ISO_8859_1);
        }

        private static byte[] bytes(Object part) {
            if (part instanceof byte[] bytes) {
                return bytes;
            }
            throw new JedisException("expected bytes, not " + part);
        }
    }
}
