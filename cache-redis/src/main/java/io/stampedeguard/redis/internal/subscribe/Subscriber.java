package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * A connection on which a server sends messages, its subscriptions, and the moment up to which no message is missing. One thread
 * reads; any thread sends:
 *
 * <ol>
 *   <li>commands are queued in the order in which answers are expected;
 *   <li>a thread that finds no other thread sending sends the whole queue, while the others continue;
 *   <li>a server answers each command for a channel once and in order. So a channel is certainly subscribed if the last command
 *       was to subscribe and none is unanswered;
 *   <li>a ping is sent only if no other answer is pending. Its pong, or its refusal, proves that no message is missing that was
 *       sent before the ping;
 *   <li>a connection on which nothing arrives for longer than a ping takes is cut by its reader, which unblocks any thread in it.
 * </ol>
 *
 * <p>Guarded by the lock of {@link Subscribers}, except for {@link #flush}, {@link #read} and {@link #cut}, which are
 * <em>thread-safe</em>.
 */
final class Subscriber {
    static final long PING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** When it is first checked, after a beat, whether a server answers. */
    static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(750);

    /** What is left of the time that an answer may take, for a PING on another connection. */
    private static final long LEFT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How long nothing may arrive, in addition to the time that an answer may take. */
    private static final long PATIENCE_NANOS = 2 * PING_NANOS;

    private static final long DEFAULT_TIMEOUT_MILLIS = 2_000;

    private final Queue<CommandArguments> outgoing = new ConcurrentLinkedQueue<>();
    private final Deque<Sent> unanswered = new ArrayDeque<>();
    private final Map<String, Subscription> subscriptions = new HashMap<>();
    private final ReentrantLock sending = new ReentrantLock();
    private final Object server;
    private final Connection connection;
    private final TimeSource time;
    private final long timeoutMillis;
    private boolean sharded;
    private boolean speaksResp3;
    private List<String> login;
    private long unusedSinceNanos;
    private @Nullable Long provenNanos;
    private volatile boolean cut;

    /** Creates it on a new connection, which has authenticated with the login, or a newer one; empty for none. */
    Subscriber(Object server, Connection connection, List<String> login, boolean sharded, TimeSource time) {
        this.server = server;
        this.connection = connection;
        this.login = login;
        this.time = time;
        int timeout = connection.getSoTimeout();
        this.timeoutMillis = timeout > 0 ? timeout : DEFAULT_TIMEOUT_MILLIS;
        this.sharded = sharded;
        this.unusedSinceNanos = time.monotonicNanos();
    }

    enum Word {
        SUBSCRIBE,
        UNSUBSCRIBE,
        PING,
        /** Switches to RESP3, in which a connection with subscriptions may send any command. */
        HELLO,
        AUTH,
        /** Reads who holds the lease that is named like the channel. */
        LOOK;

        /** Returns whether it changes the subscription of a channel, which its answer names. */
        boolean isForChannel() {
            return this == SUBSCRIBE || this == UNSUBSCRIBE;
        }
    }

    /**
     * A command without an answer yet; {@code channel} is empty for none, {@code isSharded} says whether subscriptions were sharded
     * when it was queued, at {@code atNanos}. The {@code looker} takes what a look has found.
     */
    record Sent(Word word, String channel, boolean isSharded, long atNanos, Consumer<byte @Nullable []> looker) {}

    /** Whether the last command for a channel was to subscribe, and the number of unanswered commands for it. */
    private record Subscription(boolean wanted, int unanswered) {
        static final Subscription NONE = new Subscription(false, 0);
        static final Subscription CONFIRMED = new Subscription(true, 0);
    }

    Object server() {
        return server;
    }

    /** Returns whether subscriptions are sharded: if so, the server ends those of a slot that moves. */
    boolean isSharded() {
        return sharded;
    }

    /** Returns whether any command may be sent. */
    boolean speaksResp3() {
        return speaksResp3;
    }

    /** Queues the switch to RESP3, unless the server refuses it. */
    void speakResp3() {
        speaksResp3 = true;
        queue(Word.HELLO, "");
    }

    /** Queues that the connection authenticates again, if it may, and if this is not what it has authenticated with. */
    void authenticate(List<String> newest) {
        if (speaksResp3 && !newest.isEmpty() && !newest.equals(login)) {
            login = newest;
            queue(Word.AUTH, "");
        }
    }

    /** Queues a look at the lease that is named like the channel; the looker takes its token, or whatever is in its place. */
    void look(String channel, Consumer<byte @Nullable []> looker) {
        queue(Word.LOOK, channel, looker);
    }

    /** Queues a subscription, unless the last command for the channel was one. */
    void subscribe(String channel) {
        if (!isSubscribed(channel)) {
            change(channel, true, 1);
            queue(Word.SUBSCRIBE, channel);
        }
    }

    /** Queues the end of a subscription, unless the last command for the channel was to end it. */
    void unsubscribe(String channel) {
        if (isSubscribed(channel)) {
            change(channel, false, 1);
            queue(Word.UNSUBSCRIBE, channel);
        }
    }

    private Subscription subscription(String channel) {
        return subscriptions.getOrDefault(channel, Subscription.NONE);
    }

    private void change(String channel, boolean wanted, int more) {
        Subscription changed = new Subscription(wanted, subscription(channel).unanswered + more);
        if (!changed.equals(Subscription.NONE)) {
            subscriptions.put(channel, changed);
        } else if (subscriptions.remove(channel) != null) {
            unusedSinceNanos = time.monotonicNanos();
        }
    }

    /** Returns whether the last command for a channel was to subscribe. */
    boolean isSubscribed(String channel) {
        return subscription(channel).wanted;
    }

    /** Returns whether the server has confirmed that a channel is subscribed. */
    boolean isConfirmed(String channel) {
        return subscription(channel).equals(Subscription.CONFIRMED);
    }

    /** Returns whether a channel is not subscribed, and no answer for it is expected. */
    boolean isWithout(String channel) {
        return subscription(channel).equals(Subscription.NONE);
    }

    /** Queues a ping if no other answer is pending: only then is its pong a proof. */
    void ping() {
        if (unanswered.isEmpty()) {
            pingBehind();
        }
    }

    /** Queues a ping behind other commands, unless a ping is pending. Its pong shows that the connection works. */
    void pingBehind() {
        if (unanswered.stream().noneMatch(sent -> sent.word() == Word.PING)) {
            queue(Word.PING, "");
        }
    }

    private void queue(Word word, String channel) {
        queue(word, channel, head -> {});
    }

    private void queue(Word word, String channel, Consumer<byte @Nullable []> looker) {
        unanswered.add(new Sent(word, channel, sharded, time.monotonicNanos(), looker));
        CommandArguments command = new CommandArguments(command(word));
        if (!channel.isEmpty()) {
            command.add(channel.getBytes(StandardCharsets.ISO_8859_1));
        }
        switch (word) {
            case HELLO -> command.add(3);
            case AUTH -> login.forEach(command::add);
            case LOOK -> command.add(0).add(LeaseToken.BYTES - 1);
            default -> {}
        }
        outgoing.add(command);
    }

    private Protocol.Command command(Word word) {
        return switch (word) {
            case SUBSCRIBE -> sharded ? Protocol.Command.SSUBSCRIBE : Protocol.Command.SUBSCRIBE;
            case UNSUBSCRIBE -> sharded ? Protocol.Command.SUNSUBSCRIBE : Protocol.Command.UNSUBSCRIBE;
            case PING -> Protocol.Command.PING;
            case HELLO -> Protocol.Command.HELLO;
            case AUTH -> Protocol.Command.AUTH;
            case LOOK -> Protocol.Command.GETRANGE;
        };
    }

    /**
     * Processes an answer, and returns the command. A refusal, as a {@link JedisDataException}, ends the subscription that it is for,
     * answers a ping, and means that looks are not possible, or this one or a login was not; it is thrown if the connection is of no use then. If
     * the server has ended a sharded subscription by itself, returns a command to unsubscribe. Throws a {@link JedisException} if the
     * answer was not expected.
     */
    Sent answered(Object reply) {
        if (reply instanceof JedisDataException why) {
            return refused(why);
        }
        return switch (kind(reply)) {
            case "" -> replied();
            case "subscribe", "ssubscribe" -> answered(Word.SUBSCRIBE, channel(reply));
            case "unsubscribe", "sunsubscribe" -> answered(Word.UNSUBSCRIBE, channel(reply));
            case "pong" -> answered(Word.PING, "");
            default -> throw new JedisException("unknown kind of message '" + kind(reply) + "'");
        };
    }

    private Sent answered(Word word, String channel) {
        Sent sent = unanswered.peek();
        if (sent != null && sent.word() == word && sent.channel().equals(channel)) {
            return answered();
        }
        if (word != Word.UNSUBSCRIBE || !sharded) {
            throw new JedisException("unexpected answer to " + word);
        }
        moved(channel);
        return new Sent(word, channel, sharded, time.monotonicNanos(), head -> {});
    }

    private Sent replied() {
        Sent sent = unanswered.peek();
        if (sent == null || sent.word().isForChannel()) {
            throw new JedisException("unexpected reply");
        }
        return answered();
    }

    private Sent refused(JedisDataException why) {
        if (unanswered.isEmpty()) {
            throw why;
        }
        Sent sent = answered();
        if (sent.word() == Word.HELLO) {
            speaksResp3 = false;
        } else if (sent.word() == Word.AUTH) {
            login = List.of(); // to be tried again: the server may not know it yet
        } else if (sent.word().isForChannel()) {
            if (why instanceof JedisRedirectionException) {
                moved(sent.channel());
                return sent;
            }
            change(sent.channel(), false, 0); // nobody takes it for confirmed until the connection has ended
            if (!sent.isSharded() || !String.valueOf(why.getMessage()).startsWith("ERR unknown command")) {
                throw why;
            }
            sharded = false; // the server does not support others
        }
        return sent;
    }

    private Sent answered() {
        Sent sent = unanswered.remove();
        if (sent.word().isForChannel()) {
            change(sent.channel(), isSubscribed(sent.channel()), -1);
        }
        if (sent.word() == Word.PING) {
            provenNanos = sent.atNanos();
        }
        return sent;
    }

    private void moved(String channel) {
        if (subscription(channel).unanswered > 0) {
            throw new JedisException("a channel moved while its subscription was unconfirmed");
        }
        change(channel, false, 0);
    }

    /** Returns for how long there has been no subscription. */
    long idleNanos() {
        return subscriptions.isEmpty() ? time.monotonicNanos() - unusedSinceNanos : 0;
    }

    /** Returns since when a command has had no answer, for almost as long as one may take; {@code null} if there is none. */
    @Nullable
    Long silentSinceNanos() {
        Sent sent = unanswered.peek();
        long atLeast = Math.max(SILENCE_NANOS, TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - LEFT_NANOS);
        return sent != null && time.monotonicNanos() - sent.atNanos() >= atLeast ? sent.atNanos() : null;
    }

    /** Returns a moment before which no message is missing, {@code null} if there is none yet. */
    @Nullable
    Long provenNanos() {
        return provenNanos;
    }

    /** Sends the queue, unless another thread is sending it. */
    void flush() {
        while (!outgoing.isEmpty() && !cut && sending.tryLock()) {
            try {
                for (CommandArguments next = outgoing.poll(); next != null && !cut; next = outgoing.poll()) {
                    connection.sendCommand(next);
                }
                connection.getMany(0); // flushes, and reads nothing
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

    /** Passes answers, refusals, and messages to a consumer, on this thread, until the connection is cut. */
    void read(Consumer<Object> replies) {
        try {
            connection.setSoTimeout((int) (TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS) + timeoutMillis));
            while (!cut) {
                replies.accept(next());
            }
        } finally {
            end();
        }
    }

    private Object next() {
        try {
            return connection.getUnflushedObject();
        } catch (JedisDataException refusal) {
            return refusal;
        }
    }

    void cut() {
        cut = true;
        try {
            disconnect(connection);
        } catch (IOException alreadyGone) {
            // The connection is to be closed anyway.
        }
    }

    /** Closes it under the lock of senders: a sender that did not see the cut may have made Jedis reconnect. */
    void end() {
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
    private static void disconnect(Connection connection) throws IOException {
        try {
            connection.forceDisconnect();
        } catch (NoSuchMethodError jedis6) {
            connection.setBroken();
            if (ClientConnections.hidden(Connection.class, "socket", connection) instanceof Closeable socket) {
                socket.close();
            }
        }
    }

    /** Returns the kind of a message or answer that names its channel, in RESP2 or RESP3; empty for any other reply. */
    static String kind(Object reply) {
        return reply instanceof List<?> parts && parts.size() >= 2 && parts.get(0) instanceof byte[] kind
                ? text(kind)
                : "";
    }

    static String channel(Object reply) {
        return text(((List<?>) reply).get(1));
    }

    static byte[] message(Object reply) {
        return bytes(((List<?>) reply).get(2));
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
