package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The channels with their listeners, and the connections on which they are subscribed. A channel is subscribed while it has a
 * listener. Once it is, a look at the lease tells each new listener whether it has missed its end: the server answers the commands
 * of a connection in their order. This class does not send anything or call listeners: its methods return the connection that
 * has something to send, or the listeners to call. <em>Thread-safe</em>, by one lock that is held for a few instructions.
 */
final class Subscriptions {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, NoticeChannel> channels = new HashMap<>();
    private final Map<Object, SubscriberConnection> lines = new HashMap<>();
    private final NoticeServers servers;
    private boolean closed;

    Subscriptions(NoticeServers servers) {
        this.servers = servers;
    }

    /** Whether it is listening already, and the connection that has something to send; {@code null} if it has none. */
    record Joined(boolean listening, @Nullable SubscriberConnection line) {}

    Joined join(String name, Listener listener) {
        return locked(() -> closed ? new Joined(false, null) : joined(name, listener));
    }

    private Joined joined(String name, Listener listener) {
        NoticeChannel channel = channels.computeIfAbsent(name, NoticeChannel::new);
        channel.add(listener);
        SubscriberConnection line = channel.line() == null ? lineOf(name) : channel.line();
        if (line != null && !channel.isSubscribed()) {
            subscribe(line, channel);
        } else if (line != null && line.looks()) {
            look(line, name, List.of(listener));
        }
        return new Joined(channel.isConfirmed() && (line == null || !line.looks()), line);
    }

    private static void subscribe(SubscriberConnection line, NoticeChannel channel) {
        say(line, Word.SUBSCRIBE, channel);
        if (line.looks()) {
            look(line, channel.name(), channel.listeners());
        }
    }

    private static void look(SubscriberConnection line, String name, List<Listener> listeners) {
        line.look(name, head -> {
            LeaseToken holder = head == null ? null : LeaseToken.startOf(head);
            listeners.forEach(holder == null ? Listener::listening : listener -> listener.listening(holder));
        });
    }

    /** Removes a listener, and returns the connection that has something to send, {@code null} for none. */
    @Nullable
    SubscriberConnection leave(String name, Listener listener) {
        return locked(() -> {
            NoticeChannel channel = channels.get(name);
            if (channel == null) {
                return null;
            }
            channel.remove(listener);
            SubscriberConnection line = channel.line();
            if (!channel.isWanted() && channel.isSubscribed() && line != null) {
                say(line, Word.UNSUBSCRIBE, channel);
            }
            forgetIfDone(channel);
            return line;
        });
    }

    /** Returns the channels with listeners but without a connection. */
    List<String> lineless() {
        return locked(() -> channels.values().stream()
                .filter(channel -> channel.isWanted() && channel.line() == null)
                .map(NoticeChannel::name)
                .toList());
    }

    @Nullable
    SubscriberConnection lineFor(String name) {
        return locked(() -> lineOf(name));
    }

    /** Adds a new connection, unless this is closed or its server has one. */
    boolean add(SubscriberConnection line) {
        return locked(() -> {
            boolean added = !closed && lines.putIfAbsent(line.place(), line) == null;
            if (added) {
                line.beginLooking();
            }
            return added;
        });
    }

    /** Subscribes the channel if it still has listeners and the connection is still present. */
    void subscribe(String name, SubscriberConnection line) {
        locked(() -> {
            NoticeChannel channel = channels.get(name);
            if (lines.get(line.place()) == line && channel != null && channel.isWanted() && channel.line() == null) {
                subscribe(line, channel);
            }
            return name;
        });
    }

    List<Listener> listeners(String name) {
        return locked(() -> {
            NoticeChannel channel = channels.get(name);
            return channel == null ? List.of() : channel.listeners();
        });
    }

    /**
     * Processes an answer, and returns the listeners that are listening now. Throws a {@link JedisException} if it was not
     * expected.
     */
    List<Listener> answered(SubscriberConnection line, Word word, String name) {
        return locked(() -> {
            Sent expected = line.expected();
            if (expected != null
                    && expected.word() == word
                    && expected.channel().equals(name)) {
                line.answered();
                return word == Word.PING ? List.of() : confirmed(line, name);
            }
            if (word == Word.UNSUBSCRIBE && line.isSharded()) {
                moved(line, name);
                return List.of();
            }
            throw new JedisException("unexpected answer to " + word);
        });
    }

    private List<Listener> confirmed(SubscriberConnection line, String name) {
        NoticeChannel channel = channels.get(name);
        if (channel == null || channel.line() != line) {
            return List.of();
        }
        channel.confirmed();
        forgetIfDone(channel);
        return channel.isConfirmed() && !line.looks() ? channel.listeners() : List.of();
    }

    /**
     * Processes a reply that names no channel, or the refusal of a command that has one; returns the command, {@code null} for a
     * look that is of no use, because the channel is not subscribed any more. Throws a {@link JedisException} if the reply was not
     * expected.
     */
    @Nullable
    Sent replied(SubscriberConnection line, boolean refused) {
        return locked(() -> {
            Sent sent = line.expected();
            if (sent == null || !hasReply(sent.word())) {
                throw new JedisException("unexpected reply");
            }
            line.answered();
            if (sent.word() == Word.HELLO && refused) {
                line.cannotLook();
            }
            NoticeChannel channel = channels.get(sent.channel());
            boolean looked = line.looks() && channel != null && channel.line() == line && channel.isConfirmed();
            return looked || sent.word() != Word.LOOK ? sent : null;
        });
    }

    /**
     * Returns whether the oldest command is none whose refusal matters: looks are not possible then, or this one was not, and a
     * refused ping was answered.
     */
    boolean mayBeRefused(SubscriberConnection line) {
        return locked(() -> {
            Sent sent = line.expected();
            return sent != null && hasReply(sent.word());
        });
    }

    private static boolean hasReply(Word word) {
        return word == Word.PING || word == Word.HELLO || word == Word.LOOK;
    }

    /** Processes a refusal of the oldest command, and returns whether the connection remains usable. */
    boolean refused(SubscriberConnection line, boolean unknownCommand, boolean redirected) {
        return locked(() -> {
            Sent sent = line.expected();
            line.answered();
            NoticeChannel channel = sent == null ? null : channels.get(sent.channel());
            if (channel == null) {
                return false;
            }
            channel.confirmed();
            if (redirected) {
                moved(line, channel.name());
            } else if (unknownCommand && servers.isSharded()) {
                goPlain(line, channel);
            } else {
                return false;
            }
            return true;
        });
    }

    /** Processes the move of a slot with its channels. */
    private void moved(SubscriberConnection line, String name) {
        servers.forget(name);
        NoticeChannel channel = channels.get(name);
        if (channel == null || channel.line() != line) {
            return;
        }
        if (channel.isUnconfirmed()) {
            throw new JedisException("a channel moved while its subscription was unconfirmed");
        }
        channel.cut();
        forgetIfDone(channel);
    }

    private void goPlain(SubscriberConnection line, NoticeChannel channel) {
        line.goPlain();
        if (channel.isSubscribed()) {
            subscribe(line, channel);
        }
        forgetIfDone(channel);
    }

    /** Removes a connection; its channels then have none. */
    void cut(SubscriberConnection line) {
        locked(() -> {
            if (lines.remove(line.place(), line)) {
                servers.forgetAt(line.place());
            }
            for (NoticeChannel channel : List.copyOf(channels.values())) {
                if (channel.line() == line) {
                    channel.cut();
                    forgetIfDone(channel);
                }
            }
            return line;
        });
    }

    /** Queues a ping on each connection without a pending one, and returns all connections. */
    Collection<SubscriberConnection> ping() {
        return locked(() -> {
            lines.values().stream().filter(line -> !line.awaitsPong()).forEach(line -> line.say(Word.PING, ""));
            return List.copyOf(lines.values());
        });
    }

    boolean isUsed(SubscriberConnection line) {
        return locked(() -> channels.values().stream().anyMatch(channel -> channel.line() == line));
    }

    boolean isEmpty() {
        return locked(channels::isEmpty);
    }

    boolean hasLines() {
        return locked(() -> !lines.isEmpty());
    }

    /** Removes everything, and returns the connections, to be cut. */
    Collection<SubscriberConnection> close() {
        return locked(() -> {
            closed = true;
            channels.clear();
            return new ArrayList<>(lines.values());
        });
    }

    private @Nullable SubscriberConnection lineOf(String name) {
        Object place = servers.placeOf(name);
        return place == null ? null : lines.get(place);
    }

    private static void say(SubscriberConnection line, Word word, NoticeChannel channel) {
        line.say(word, channel.name());
        channel.sent(line, word == Word.SUBSCRIBE);
    }

    private void forgetIfDone(NoticeChannel channel) {
        if (channel.isForgettable()) {
            channels.remove(channel.name());
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A channel: its listeners, and the state of its subscription. Redis confirms each command for a channel once and in order.
     * So it is certainly subscribed if the last command was to subscribe and none is unconfirmed. <em>Not thread-safe</em>:
     * guarded by the lock of {@link Subscriptions}.
     */
    static final class NoticeChannel {
        private final String name;
        private List<Listener> listeners = List.of();
        private @Nullable SubscriberConnection line;
        private boolean subscribed;
        private int unconfirmed;

        NoticeChannel(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        @Nullable
        SubscriberConnection line() {
            return line;
        }

        List<Listener> listeners() {
            return listeners;
        }

        void add(Listener listener) {
            listeners = Stream.concat(listeners.stream(), Stream.of(listener)).toList();
        }

        void remove(Listener listener) {
            listeners =
                    listeners.stream().filter(other -> !other.equals(listener)).toList();
        }

        boolean isWanted() {
            return !listeners.isEmpty();
        }

        boolean isSubscribed() {
            return subscribed;
        }

        boolean isConfirmed() {
            return subscribed && unconfirmed == 0;
        }

        boolean isForgettable() {
            return !isWanted() && unconfirmed == 0;
        }

        boolean isUnconfirmed() {
            return unconfirmed > 0;
        }

        void sent(SubscriberConnection to, boolean toSubscribe) {
            line = to;
            subscribed = toSubscribe;
            unconfirmed++;
        }

        void confirmed() {
            unconfirmed--;
        }

        void cut() {
            line = null;
            subscribed = false;
            unconfirmed = 0;
        }
    }
}
