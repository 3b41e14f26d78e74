package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Reader;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Understands what a server says on a connection with subscriptions, in RESP2 and RESP3. */
final class NoticeReply {
    private NoticeReply() {}

    /** Waits for one reply and hands it to the reader. */
    static void read(Connection connection, Reader reader) {
        Object reply;
        try {
            reply = connection.getUnflushedObject();
        } catch (JedisDataException refusal) {
            reader.refused(refusal);
            return;
        }
        if (reply instanceof List<?> parts && parts.size() >= 2) {
            understand(text(parts.get(0)), parts, reader);
        } else {
            reader.answered(Word.PING, "");
        }
    }

    private static void understand(String kind, List<?> parts, Reader reader) {
        switch (kind) {
            case "message", "smessage" -> told(text(parts.get(1)), parts.get(2), reader);
            case "subscribe", "ssubscribe" -> reader.answered(Word.SUBSCRIBE, text(parts.get(1)));
            case "unsubscribe", "sunsubscribe" -> reader.answered(Word.UNSUBSCRIBE, text(parts.get(1)));
            case "pong" -> reader.answered(Word.PING, "");
            default -> throw new JedisException("what is a '" + kind + "'?");
        }
    }

    /** What is tracked comes as a list of keys, or as nothing if all of them are meant. */
    private static void told(String channel, @Nullable Object message, Reader reader) {
        if (message instanceof byte[] bytes) {
            reader.message(channel, bytes);
        } else if (message == null) {
            reader.changed(null);
        } else if (message instanceof List<?> keys) {
            reader.changed(keys.stream().map(NoticeReply::bytes).toList());
        } else {
            throw new JedisException("what is a message of " + message + "?");
        }
    }

    private static String text(Object bytes) {
        return new String(bytes(bytes), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(Object part) {
        if (part instanceof byte[] bytes) {
            return bytes;
        }
        throw new JedisException("where bytes should be is " + part);
    }
}
