package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Reader;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The parser of replies on a connection with subscriptions, in RESP2 and RESP3. */
final class NoticeReply {
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
        if (reply instanceof List<?> parts && parts.size() >= 2) {
            parse(text(parts.get(0)), parts, reader);
        } else {
            reader.answered(Word.PING, "");
        }
    }

    private static void parse(String kind, List<?> parts, Reader reader) {
        switch (kind) {
            case "message", "smessage" -> message(text(parts.get(1)), parts.get(2), reader);
            case "subscribe", "ssubscribe" -> reader.answered(Word.SUBSCRIBE, text(parts.get(1)));
            case "unsubscribe", "sunsubscribe" -> reader.answered(Word.UNSUBSCRIBE, text(parts.get(1)));
            case "pong" -> reader.answered(Word.PING, "");
            default -> throw new JedisException("unknown kind of message '" + kind + "'");
        }
    }

    /** Tracked changes arrive as a list of keys, or as null for all keys. */
    private static void message(String channel, @Nullable Object message, Reader reader) {
        if (message instanceof byte[] bytes) {
            reader.message(channel, bytes);
        } else if (message == null) {
            reader.changed(null);
        } else if (message instanceof List<?> keys) {
            reader.changed(keys.stream().map(NoticeReply::bytes).toList());
        } else {
            throw new JedisException("unknown content of a message: " + message);
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
