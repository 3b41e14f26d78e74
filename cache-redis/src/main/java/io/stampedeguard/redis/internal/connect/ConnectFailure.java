package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.redis.internal.connect.ServerCheck.ServerVersion;
import io.stampedeguard.store.StoreException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The explanation of why the first command to a server failed, with advice. */
public final class ConnectFailure {
    private ConnectFailure() {}

    /**
     * Explains a failure.
     *
     * @param failure of the first command
     */
    public static StoreException explained(StoreException failure, RedisUri uri) {
        return new StoreException(
                "could not connect to Redis at " + uri.address() + ": " + reason(failure) + advice(failure, uri),
                failure);
    }

    private static String reason(StoreException failure) {
        String reason = RedisFailure.reason(failure);
        return RedisFailure.contains(failure, UnknownHostException.class) ? "unknown host, " + reason : reason;
    }

    private static String advice(StoreException failure, RedisUri uri) {
        String reason = RedisFailure.reason(failure);
        if (reason.startsWith("NOAUTH")) {
            return " The URI has no password";
        }
        if (reason.contains("unknown command") && reason.contains("HELLO")) {
            return "; Redis has it since 6.0, and " + ServerVersion.NEEDED;
        }
        boolean isTimeout = RedisFailure.contains(failure, SocketTimeoutException.class);
        if (uri.tls() && (isTimeout || RedisFailure.contains(failure, SSLException.class))) {
            return "; if the server does not use TLS, connect with redis://";
        }
        if (!uri.tls() && (reason.startsWith("Unexpected end of stream") || reason.equals("Connection reset"))) {
            return "; if the server uses TLS, connect with rediss://";
        }
        return "";
    }

    /** Returns whether a server refuses permanently. A server that is still loading, for instance, refuses temporarily. */
    public static boolean isRefusal(StoreException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof JedisDataException) {
                String message = String.valueOf(at.getMessage());
                return !message.startsWith("LOADING")
                        && !message.startsWith("MASTERDOWN")
                        && !message.startsWith("BUSY");
            }
        }
        return false;
    }
}
