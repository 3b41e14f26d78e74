package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.connect.ServerCheck.ServerVersion;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The meaning of a failure of Jedis: how to react to it, and how to report it. */
public final class RedisFailure {
    private static final String ECHO = "with args beginning with";
    private static final String TOO_MANY_CLIENTS = "ERR max number of clients";
    private static final String CLOSED_BY_INTERRUPT = "Closed by interrupt";
    private static final int DEEPEST = 10;

    private RedisFailure() {}

    /**
     * Returns whether the connection was already broken, as happens while it is idle: not after a timeout, which must not be paid
     * twice, and not if no connection could be made.
     */
    public static boolean brokenAtOnce(RuntimeException failure) {
        if (!(failure instanceof JedisConnectionException) || failure.getSuppressed().length > 0) {
            return false;
        }
        Throwable cause = failure.getCause();
        return cause == null ? String.valueOf(Thrown.messageOf(failure)).startsWith("Unexpected end") : isReset(cause);
    }

    /**
     * Accepts exactly this class: its subclasses mean that no connection could be made. Excludes the socket of an interrupted
     * virtual thread: other connections are intact.
     */
    private static boolean isReset(Throwable cause) {
        return cause.getClass() == SocketException.class && !CLOSED_BY_INTERRUPT.equals(cause.getMessage());
    }

    /**
     * Returns the failure of a command whose answer does not fit into memory. Jedis allocates as many bytes as the server announces,
     * before it reads them; the connection is of no use afterwards.
     */
    public static JedisConnectionException tooLarge(OutOfMemoryError failure) {
        return new TooLarge("the announced answer does not fit into memory: " + failure.getMessage());
    }

    /** No answer that this process could take; it proves nothing about the server. */
    private static final class TooLarge extends JedisConnectionException {
        TooLarge(String message) {
            super(message);
        }
    }

    /**
     * Returns the failure of a command during which user code that Jedis calls to make a connection has thrown an error: a provider
     * of credentials, a socket factory, or a verifier of host names, for instance. Rethrows an error of the JVM itself, and the end of
     * a thread by {@code Thread.stop}.
     */
    public static JedisException ofUserCode(Error thrown) {
        if (thrown instanceof VirtualMachineError
                || thrown.getClass().getName().equals("java.lang.ThreadDeath")) { // removed from later versions of Java
            throw thrown;
        }
        return new JedisException("code that the client calls has thrown an error", thrown);
    }

    public static StoreException toStoreException(String notDone, String key, String where, RuntimeException failure) {
        return toStoreException(() -> notDone + " " + KeyEncoder.shown(key), where, failure);
    }

    public static StoreException toStoreException(String notDone, String where, RuntimeException failure) {
        return toStoreException(() -> notDone, where, failure);
    }

    /** While the circuit breaker is open, this is on the path of each read. */
    private static StoreException toStoreException(Supplier<String> notDone, String where, RuntimeException failure) {
        if (failure instanceof ServerBreaker.Open) {
            return StoreException.unsent(
                    () -> "could not " + notDone.get() + where + ": " + failure.getMessage(), failure);
        }
        restoreInterrupt(failure);
        String message = "could not " + notDone.get() + where + ": " + reason(failure);
        return failure instanceof JedisDataException
                ? StoreException.refused(message, withoutEcho(failure))
                : new StoreException(message, withoutEcho(failure), isShortage(failure));
    }

    /** Restores an interrupt, which the pool wraps and clears. */
    public static void restoreInterrupt(RuntimeException failure) {
        if (contains(failure, InterruptedException.class)) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether a command was not sent because all connections were in use. */
    public static boolean isShortage(Throwable failure) {
        return chain(failure).stream().anyMatch(RedisFailure::isOfExhaustedPool)
                && !contains(failure, InterruptedException.class);
    }

    /** Excludes a new connection that failed its test, for which a pool throws the same exception. */
    private static boolean isOfExhaustedPool(Throwable failure) {
        return failure instanceof NoSuchElementException
                && !String.valueOf(Thrown.messageOf(failure)).startsWith("Unable to");
    }

    /** Returns whether a failure is evidence about the server: not a shortage of connections, and not an interrupt. */
    public static boolean isOfServer(RuntimeException failure) {
        return !isOfCaller(failure) && !contains(failure, TooLarge.class);
    }

    /** Returns whether a failure concerns only the thread that sent: a shortage of connections in its time, or its interrupt. */
    public static boolean isOfCaller(RuntimeException failure) {
        return isBeforeSending(failure) || isClosedByInterrupt(failure);
    }

    /** Returns whether a failure came before a command could be sent: a shortage of connections, or an interrupt meanwhile. */
    public static boolean isBeforeSending(RuntimeException failure) {
        return isShortage(failure) || contains(failure, InterruptedException.class);
    }

    /** Returns whether one of several keys of a command may be the cause: the others may have an answer by themselves. */
    public static boolean mayBeOfOneKey(RuntimeException failure) {
        return failure instanceof JedisDataException || contains(failure, TooLarge.class);
    }

    private static boolean isClosedByInterrupt(RuntimeException failure) {
        return chain(failure).stream().anyMatch(at -> CLOSED_BY_INTERRUPT.equals(Thrown.messageOf(at)));
    }

    /** Returns whether a command that failed may still reach the server: it was not refused, and may have been sent. */
    public static boolean mayArrive(StoreException failure) {
        return !failure.isUnsent()
                && !failure.isShortage()
                && !isUnconnected(failure)
                && !contains(failure, JedisDataException.class)
                && !contains(failure, InterruptedException.class);
    }

    /** Returns whether no connection could be made: nobody accepts one at the address. */
    public static boolean isUnconnected(Throwable failure) {
        return contains(failure, ConnectException.class)
                || contains(failure, NoRouteToHostException.class)
                || contains(failure, UnknownHostException.class);
    }

    /** Returns whether there was no answer in time. */
    public static boolean isTimeout(RuntimeException failure) {
        return contains(failure, SocketTimeoutException.class);
    }

    public static String reason(Throwable failure) {
        if (contains(failure, InterruptedException.class)) {
            return "interrupted";
        }
        if (isShortage(failure)) {
            return "no connection of the pool became free in time";
        }
        if (isOfClosedPool(failure)) {
            return "the RedisStore is closed, or the client that it uses";
        }
        List<Throwable> chain = chain(failure);
        Throwable deepest = chain.get(chain.size() - 1); // except if only the end of the refused connection is deeper
        Throwable told = chain.stream()
                .filter(RedisFailure::isOfTooManyClients)
                .findFirst()
                .orElse(deepest);
        String message = Thrown.messageOf(told);
        return message == null ? deepest.getClass().getSimpleName() : KeyEncoder.printable(withoutEcho(message));
    }

    private static boolean isOfClosedPool(Throwable failure) {
        return chain(failure).stream()
                .anyMatch(at -> at instanceof IllegalStateException && "Pool not open".equals(Thrown.messageOf(at)));
    }

    /** Returns whether a server has no room for another client now. */
    public static boolean isOfTooManyClients(Throwable failure) {
        return String.valueOf(Thrown.messageOf(failure)).startsWith(TOO_MANY_CLIENTS);
    }

    /** Returns the causes of a failure; if Jedis failed at several addresses, the first cause is a suppressed exception. */
    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        Throwable at = failure;
        while (at != null && chain.size() < DEEPEST) {
            chain.add(at);
            Throwable[] suppressed = at.getSuppressed();
            Throwable cause = Thrown.causeOf(at);
            at = cause == null && suppressed.length > 0 ? suppressed[0] : cause;
        }
        return chain;
    }

    private static boolean contains(Throwable failure, Class<?> type) {
        return chain(failure).stream().anyMatch(type::isInstance);
    }

    /** Returns whether a server refused a write because it is a replica now. Redis 6.2 reports that within a longer message. */
    public static boolean isOfDemotedMaster(RuntimeException failure) {
        return failure instanceof JedisDataException
                && String.valueOf(Thrown.messageOf(failure)).contains("READONLY");
    }

    /** Returns whether a server refused a command because the slot of its keys is being moved. */
    public static boolean isOfMovingSlot(RuntimeException failure) {
        return failure instanceof JedisDataException
                && String.valueOf(Thrown.messageOf(failure)).startsWith("TRYAGAIN");
    }

    /** Returns whether a server refused a command because its keys are in several slots of a cluster. */
    public static boolean isOfSeveralSlots(JedisDataException failure) {
        return String.valueOf(Thrown.messageOf(failure)).startsWith("CROSSSLOT");
    }

    /** Removes arguments that a server repeats for an unknown command: those of AUTH and HELLO are credentials. */
    private static String withoutEcho(String message) {
        int echo = message.indexOf(ECHO);
        return echo == -1 ? message : message.substring(0, echo) + "some arguments";
    }

    /** Returns the same failure, unless a message of the server has credentials or control characters, which logs would show. */
    private static Throwable withoutEcho(RuntimeException failure) {
        if (chain(failure).stream().allMatch(at -> isShowable(String.valueOf(Thrown.messageOf(at))))) {
            return failure;
        }
        JedisException silent = failure instanceof JedisConnectionException
                ? new JedisConnectionException(reason(failure))
                : new JedisDataException(reason(failure));
        silent.setStackTrace(failure.getStackTrace());
        return silent;
    }

    private static boolean isShowable(String message) {
        return !message.contains(ECHO) && KeyEncoder.printable(message).equals(message);
    }

    /** Explains, with advice, why the first command to a server failed; {@code missing} asks which permissions are missing. */
    public static StoreException explained(StoreException failure, RedisUri uri, Supplier<String> missing) {
        String advice = reason(failure).startsWith("NOPERM") ? missing.get() : advice(failure, uri);
        return new StoreException(
                "could not connect to Redis at " + uri.shownAddress() + ": " + connectReason(failure) + advice,
                failure);
    }

    private static String connectReason(StoreException failure) {
        String reason = reason(failure);
        return contains(failure, UnknownHostException.class) ? "unknown host, " + reason : reason;
    }

    private static String advice(StoreException failure, RedisUri uri) {
        String reason = reason(failure);
        if (reason.startsWith("NOAUTH")) {
            return " The URI has no password";
        }
        if (uri.kind() == RedisUri.Kind.SENTINEL && reason.contains("entinel")) {
            return " Jedis has logged the answer of each Sentinel; those that require a password need sentinelCredentials";
        }
        if (reason.contains("unknown command") && reason.contains("HELLO")) {
            return "; Redis supports it since 6.0, and " + ServerVersion.NEEDED;
        }
        boolean isTimeout = contains(failure, SocketTimeoutException.class);
        if (uri.tls() && contains(failure, CertificateException.class)) {
            return "; the server uses TLS, but this JVM does not trust its certificate: add it, or its authority, to the"
                    + " sslContext of the RedisStoreOptions or to the JVM's trust store, and use the host name that it"
                    + " names";
        }
        if (uri.tls() && (isTimeout || (contains(failure, SSLException.class) && !isOfTls(failure)))) {
            return "; if the server does not use TLS, connect with redis://";
        }
        if (!uri.tls() && (reason.startsWith("Unexpected end of stream") || reason.equals("Connection reset"))) {
            return "; if the server uses TLS, connect with rediss://";
        }
        return "";
    }

    /** Returns whether the server uses TLS: it has sent an alert or a name, or both know no common version or cipher. */
    private static boolean isOfTls(Throwable failure) {
        String reason = reason(failure);
        return contains(failure, SSLPeerUnverifiedException.class)
                || reason.startsWith("Received fatal alert")
                || reason.startsWith("No appropriate protocol");
    }

    /** Returns whether a server refuses because the user lacks a right. */
    public static boolean isForbidden(StoreException failure) {
        return contains(failure, JedisAccessControlException.class);
    }

    /** Returns whether a server refuses permanently. One that is still loading, or has too many clients, does so temporarily. */
    public static boolean isRefusal(StoreException failure) {
        return chain(failure).stream()
                .filter(JedisDataException.class::isInstance)
                .findFirst()
                .filter(refusal -> !isTemporary(refusal))
                .isPresent();
    }

    private static boolean isTemporary(Throwable refusal) {
        String message = String.valueOf(refusal.getMessage());
        return message.startsWith("LOADING")
                || message.startsWith("MASTERDOWN")
                || message.startsWith("BUSY")
                || isOfTooManyClients(refusal);
    }
}
