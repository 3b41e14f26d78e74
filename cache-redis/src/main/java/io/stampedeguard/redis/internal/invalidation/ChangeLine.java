package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The connection on which one server reports changes: for which caches, and up to which moment no report is missing. <em>Not
 * thread-safe</em>, except for {@link #line}: guarded by the lock of {@link ChangeWatches}.
 */
final class ChangeLine {
    /** When it is first checked whether a ping was answered. */
    static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(750);

    /** What is left of the time that an answer may take, for a PING on another connection. */
    private static final long LEFT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long PATIENCE_NANOS = 2 * SubscriberConnection.PING_NANOS;

    private final SubscriberConnection line;
    private final RedisKeys keys;
    private final Set<String> subscribed = new HashSet<>();
    private long waitsSinceNanos;
    private long pingedNanos;
    private long provenNanos;
    private boolean proven;

    ChangeLine(SubscriberConnection line, RedisKeys keys) {
        this.line = line;
        this.keys = keys;
    }

    /** Returns the channel on which the scripts publish the changes of a cache. */
    static String channel(RedisKeys keys, String cache) {
        return new String(keys.changes(cache), StandardCharsets.ISO_8859_1);
    }

    SubscriberConnection line() {
        return line;
    }

    Object place() {
        return line.place();
    }

    void subscribe(String cache, long nowNanos) {
        String channel = channel(keys, cache);
        if (subscribed.add(channel)) {
            say(Word.SUBSCRIBE, channel, nowNanos);
        }
    }

    void unsubscribe(String cache, long nowNanos) {
        String channel = channel(keys, cache);
        if (subscribed.remove(channel)) {
            say(Word.UNSUBSCRIBE, channel, nowNanos);
        }
    }

    /** Returns whether the server has confirmed the subscription to a cache. */
    boolean listensTo(String cache) {
        String channel = channel(keys, cache);
        return subscribed.contains(channel) && !line.awaits(channel);
    }

    /** Sends a ping if no other answer is pending: only then is its pong a proof. */
    void ping(long nowNanos) {
        if (line.expected() == null) {
            pingedNanos = nowNanos;
            say(Word.PING, "", nowNanos);
        }
    }

    private void say(Word word, String channel, long nowNanos) {
        if (line.expected() == null) {
            waitsSinceNanos = nowNanos;
        }
        line.say(word, channel);
    }

    boolean isOverdue(long nowNanos) {
        return line.expected() != null && nowNanos - waitsSinceNanos >= PATIENCE_NANOS;
    }

    /** Returns whether a ping has had no answer for almost as long as one may take. */
    boolean isSilent(long nowNanos) {
        return awaitsPong() && nowNanos - pingedNanos >= Math.max(SILENCE_NANOS, line.timeoutNanos() - LEFT_NANOS);
    }

    /** Returns whether a reply to a ping is expected next. */
    boolean awaitsPong() {
        Sent expected = line.expected();
        return expected != null && expected.word() == Word.PING;
    }

    /** Returns when the last ping was sent. */
    long pingedNanos() {
        return pingedNanos;
    }

    /** Processes an answer; throws a {@link JedisException} if it was not expected. */
    void answered(Word word, String channel, long nowNanos) {
        Sent expected = line.expected();
        if (expected == null || expected.word() != word || !expected.channel().equals(channel)) {
            throw new JedisException("unexpected answer to " + word);
        }
        line.answered();
        waitsSinceNanos = nowNanos;
        if (word == Word.PING) {
            provenNanos = pingedNanos;
            proven = true;
        }
    }

    /** Returns whether there is a moment before which no report is missing. */
    boolean isProven() {
        return proven;
    }

    long provenNanos() {
        return provenNanos;
    }
}
