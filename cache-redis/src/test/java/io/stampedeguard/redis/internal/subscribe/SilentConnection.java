package io.stampedeguard.redis.internal.subscribe;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Word;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;

/** A connection without a server: it notes what is sent. The test answers instead. */
final class SilentConnection extends Connection {
    private final List<String> sent = new ArrayList<>();
    private final Queue<Command> unanswered = new ArrayDeque<>();

    /** A command, and the channel that it names; empty for none. */
    record Command(String word, String channel) {}

    @Override
    public void sendCommand(CommandArguments command) {
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(new String(word.getRaw(), UTF_8)));
        sent.add(words.get(0));
        unanswered.add(new Command(words.get(0), words.size() == 2 ? words.get(1) : ""));
    }

    @Override
    public List<Object> getMany(int count) {
        return List.of();
    }

    @Override
    public void forceDisconnect() {}

    @Override
    public void close() {}

    List<String> sent() {
        return sent;
    }

    /** Returns the oldest command that was sent and not returned yet, {@code null} if there is none. */
    @Nullable
    Command next() {
        return unanswered.poll();
    }

    /** Returns the answer to a command for a channel, or the pong of an empty one. */
    static Object answer(Word word, String channel) {
        String kind = word == Word.PING ? "pong" : word.name().toLowerCase(Locale.ROOT);
        return List.of(kind.getBytes(UTF_8), channel.getBytes(UTF_8));
    }

    /** Returns threads that never do what they are given: the test does it. */
    static BackgroundThreads idleThreads(TimeSource time) {
        return new BackgroundThreads(task -> new Thread(() -> {}), time);
    }
}
