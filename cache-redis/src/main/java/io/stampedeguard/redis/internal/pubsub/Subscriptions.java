package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.store.LeaseNotifications.Listener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Which channels are listened to, by whom, and on which lines they are subscribed. A channel is subscribed as long as
 * somebody listens. Nothing here sends or calls anybody: methods tell which line has something to send, or who is to be
 * called. <em>Thread-safe</em>, by one lock that is held for a few instructions.
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

    /**
     * What follows from joining.
     *
     * @param listening whether the channel is subscribed already
     * @param line the line that has something to send; {@code null} if there is none for the channel
     */
    record Joined(boolean listening, @Nullable SubscriberConnection line) {}

    Joined join(String name, Listener listener) {
        return locked(() -> closed ? new Joined(false, null) : joined(name, listener));
    }

    private Joined joined(String name, Listener listener) {
        NoticeChannel channel = channels.computeIfAbsent(name, NoticeChannel::new);
        channel.add(listener);
        SubscriberConnection line = channel.line() == null ? lineOf(name) : channel.line();
        if (line != null && !channel.isSubscribed()) {
            say(line, Word.SUBSCRIBE, channel);
        }
        return new Joined(channel.isConfirmed(), line);
    }

    /** Removes a listener, and returns the line that has something to send, {@code null} if there is none. */
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

    /** Returns the wanted channels that have no line. */
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

    /** Takes a new line in, unless all is over or its server has one. */
    boolean add(SubscriberConnection line) {
        return locked(() -> !closed && lines.putIfAbsent(line.place(), line) == null);
    }

    /** Subscribes the channel if that is still wanted and the line still there. */
    void subscribe(String name, SubscriberConnection line) {
        locked(() -> {
            NoticeChannel channel = channels.get(name);
            if (lines.get(line.place()) == line && channel != null && channel.isWanted() && channel.line() == null) {
                say(line, Word.SUBSCRIBE, channel);
            }
            return name;
        });
    }

    /** Returns the listeners of a channel. */
    List<Listener> listeners(String name) {
        return locked(() -> {
            NoticeChannel channel = channels.get(name);
            return channel == null ? List.of() : channel.listeners();
        });
    }

    /**
     * Takes in an answer, and tells who is to know that it is listening now.
     *
     * @throws JedisException if nobody asked for that answer
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
            throw new JedisException("an answer to " + word + " that was not expected");
        });
    }

    private List<Listener> confirmed(SubscriberConnection line, String name) {
        NoticeChannel channel = channels.get(name);
        if (channel == null || channel.line() != line) {
            return List.of();
        }
        channel.confirmed();
        forgetIfDone(channel);
        return channel.isConfirmed() ? channel.listeners() : List.of();
    }

    /** Takes in a refusal of what was sent first; tells whether the line can go on. */
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

    /** A slot has moved, and its channels with it. */
    private void moved(SubscriberConnection line, String name) {
        servers.forget(name);
        NoticeChannel channel = channels.get(name);
        if (channel == null || channel.line() != line) {
            return;
        }
        if (channel.isUnconfirmed()) {
            throw new JedisException("a channel moved away while its subscription was on its way");
        }
        channel.cut();
        forgetIfDone(channel);
    }

    private void goPlain(SubscriberConnection line, NoticeChannel channel) {
        line.goPlain();
        if (channel.isSubscribed()) {
            say(line, Word.SUBSCRIBE, channel);
        }
        forgetIfDone(channel);
    }

    /** Takes a line out, whose channels have none then. */
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

    /** Queues a ping on each line that awaits none; tells all lines. */
    Collection<SubscriberConnection> ping() {
        return locked(() -> {
            lines.values().stream().filter(line -> !line.awaitsPong()).forEach(line -> line.say(Word.PING, ""));
            return List.copyOf(lines.values());
        });
    }

    boolean isUsed(SubscriberConnection line) {
        return locked(() -> channels.values().stream().anyMatch(channel -> channel.line() == line));
    }

    /** Returns whether no channel is remembered. */
    boolean isEmpty() {
        return locked(channels::isEmpty);
    }

    boolean hasLines() {
        return locked(() -> !lines.isEmpty());
    }

    /** Forgets all; tells the lines that were there, to be cut. */
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
}
