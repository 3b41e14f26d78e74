package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.pubsub.SubscriberConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import java.util.HashSet;
import java.util.Set;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The line on which one server tells of changes: for which caches, and up to which moment nothing is missing. <em>Not
 * thread-safe</em>, but for {@link #line}: guarded by the lock of {@link ChangeWatches}.
 */
final class ChangeLine {
    private static final long PATIENCE_NANOS = 2 * SubscriberConnection.PING_NANOS;

    private final SubscriberConnection line;
    private final FeedProtocol feed;
    private final Set<String> prepared;
    private final Set<String> subscribed = new HashSet<>();
    private long waitsSinceNanos;
    private long pingedNanos;
    private long provenNanos;
    private boolean proven;

    /**
     * Creates a line for some caches.
     *
     * @param prepared the caches for which the feed has prepared the connection
     */
    ChangeLine(SubscriberConnection line, FeedProtocol feed, Set<String> prepared) {
        this.line = line;
        this.feed = feed;
        this.prepared = prepared;
    }

    SubscriberConnection line() {
        return line;
    }

    Object place() {
        return line.place();
    }

    /** Returns whether it can carry the changes of a cache without being opened anew. */
    boolean canCarry(String cache) {
        return feed.isFlexible() || prepared.contains(cache);
    }

    void subscribe(String cache, long nowNanos) {
        String channel = feed.channel(cache);
        if (subscribed.add(channel)) {
            say(Word.SUBSCRIBE, channel, nowNanos);
        }
    }

    void unsubscribe(String cache, long nowNanos) {
        String channel = feed.channel(cache);
        if (feed.isFlexible() && subscribed.remove(channel)) {
            say(Word.UNSUBSCRIBE, channel, nowNanos);
        }
    }

    /** Returns whether the server has confirmed that it sends the changes of a cache. */
    boolean hears(String cache) {
        String channel = feed.channel(cache);
        return canCarry(cache) && subscribed.contains(channel) && !line.awaits(channel);
    }

    /** Says a ping, with nothing else on its way: only then does its pong prove what it should. */
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

    /**
     * Takes in an answer.
     *
     * @throws JedisException if nobody asked for that answer
     */
    void answered(Word word, String channel, long nowNanos) {
        Sent expected = line.expected();
        if (expected == null || expected.word() != word || !expected.channel().equals(channel)) {
            throw new JedisException("an answer to " + word + " that was not expected");
        }
        line.answered();
        waitsSinceNanos = nowNanos;
        if (word == Word.PING) {
            provenNanos = pingedNanos;
            proven = true;
        }
    }

    /** Whether there is a moment before which nothing is missing. */
    boolean isProven() {
        return proven;
    }

    long provenNanos() {
        return provenNanos;
    }
}
