package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.redis.internal.connect.JedisVersion;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * A close of a connection that another thread reads or writes, without waiting for that thread. Jedis 6 has no method for it: its
 * {@code disconnect} writes first, and a server that does not read can block that.
 */
final class HardClose {
    private HardClose() {}

    static void of(Connection connection) {
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
}
