package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.NoticeConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * The lease notifications of a store:
 *
 * <ol>
 *   <li>the first watch opens a connection to the server, on its own thread; on a cluster, there is one to each master with a
 *       watched channel;
 *   <li>the channel of a key is subscribed with its first watch, and unsubscribed with the end of its last;
 *   <li>a listener is notified that it is listening when the server has confirmed the subscription, and who held the lease then:
 *       that is read on the same connection, in the same round trip, for which it speaks RESP3. If the server refuses that, the
 *       listener is notified without it, at once if the channel was subscribed already;
 *   <li>each second a ping is sent, so that a dead connection is detected, and cut;
 *   <li>after a cut, another connection is opened, at once, then with growing pauses. All channels are subscribed again, and
 *       all listeners are notified. On a cluster, each master has its own thread and pauses: one that does not answer does not
 *       affect the channels of another;
 *   <li>a connection without listeners is closed after a while.
 * </ol>
 *
 * <p><em>Thread-safe.</em> A watch sends a few bytes at most; everything else happens on daemon threads.
 */
public final class RedisNotices implements AutoCloseable {
    public static final Duration IDLE = Duration.ofSeconds(30);

    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final NoticeServers servers;
    private final Subscriptions subscriptions;
    private final TimeSource time;
    private final long idleNanos;
    private final BackgroundThreads threads;
    private final Map<Object, Repair> repairs = new ConcurrentHashMap<>();
    private final CallbackLog failures;
    private final AtomicBoolean pinging = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();

    public RedisNotices(NoticeServers servers, TimeSource time, Duration idle) {
        this(servers, time, idle, new BackgroundThreads("stampedeguard-redis-notices", time));
    }

    public RedisNotices(NoticeServers servers, TimeSource time, Duration idle, BackgroundThreads threads) {
        this.servers = servers;
        this.subscriptions = new Subscriptions(servers);
        this.time = time;
        this.idleNanos = idle.toNanos();
        this.failures = new CallbackLog(LOG, time);
        this.threads = threads;
    }

    public Watch watch(byte[] channel, Listener listener) {
        String name = new String(channel, StandardCharsets.ISO_8859_1);
        Watching watching = new Watching(name, listener);
        Subscriptions.Joined joined = subscriptions.join(name, watching);
        if (joined.line() == null) {
            repair(name).soon();
        } else {
            joined.line().flush();
        }
        if (joined.listening()) {
            watching.listening();
        }
        return watching;
    }

    /** The watch of one listener on a channel, which catches the listener's exceptions. */
    private final class Watching implements Watch, Listener {
        private final String name;
        private final Listener listener;

        private Watching(String name, Listener listener) {
            this.name = name;
            this.listener = listener;
        }

        @Override
        public void listening() {
            guarded(listener, Listener::listening);
        }

        @Override
        public void listening(LeaseToken holder) {
            guarded(listener, to -> to.listening(holder));
        }

        @Override
        public void onNotice(Notice notice) {
            guarded(listener, to -> to.onNotice(notice));
        }

        @Override
        public void close() {
            SubscriberConnection line = subscriptions.leave(name, this);
            if (line != null) {
                line.flush();
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void guarded(Listener listener, Consumer<Listener> call) {
        try {
            call.accept(listener);
        } catch (Throwable thrown) {
            Thrown.rethrowFatal(thrown);
            failures.add("A listener for lease notifications threw an exception", thrown);
        }
    }

    private Repair repair(String name) {
        return repairs.computeIfAbsent(servers.groupOf(name), group -> new Repair());
    }

    private void repairAll() {
        subscriptions.lineless().stream().map(this::repair).distinct().forEach(Repair::soon);
    }

    /** The opening of connections for the channels of one server, by one thread at a time. */
    private final class Repair {
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final Reconnect reconnect = new Reconnect(time.monotonicNanos());

        private void soon() {
            if (underWay.compareAndSet(false, true)) {
                threads.later(reconnect.delayNanos(time.monotonicNanos()), this::connect);
            }
        }

        private void connect() {
            try {
                long began = time.monotonicNanos();
                long failedNanos = 0;
                for (String name : subscriptions.lineless()) {
                    if (repair(name) == this && failedNanos <= PATIENCE_NANOS && !connect(name)) {
                        failedNanos = time.monotonicNanos() - began;
                    }
                }
            } finally {
                underWay.set(false);
                repairAll();
            }
        }

        private boolean connect(String name) {
            try {
                SubscriberConnection line = subscriptions.lineFor(name);
                SubscriberConnection open = line == null ? open(name) : line;
                if (open != null) {
                    subscriptions.subscribe(name, open);
                    open.flush();
                }
                return true;
            } catch (RuntimeException | Error failure) {
                failed(failure);
                return false;
            }
        }

        private @Nullable SubscriberConnection open(String name) {
            NoticeConnection opened = servers.open(name);
            SubscriberConnection line = new SubscriberConnection(opened, servers.isSharded(), time.monotonicNanos());
            if (!subscriptions.add(line)) {
                opened.connection().close();
                return subscriptions.lineFor(name);
            }
            threads.execute(() -> read(line));
            pingLater();
            return line;
        }

        private void read(SubscriberConnection line) {
            try {
                line.read(new LineReader(line, reconnect));
            } catch (RuntimeException | Error failure) {
                failed(failure);
            } finally {
                subscriptions.cut(line);
                repairAll();
            }
        }

        private void failed(Throwable failure) {
            String reason = RedisFailure.reason(failure);
            LOG.debug("No connection for lease notifications: {}", reason);
            if (!(failure instanceof JedisAccessControlException)) {
                reconnect.failed(time.monotonicNanos());
                return;
            }
            reconnect.refused(time.monotonicNanos());
            if (warned.compareAndSet(false, true)) {
                LOG.warn("Pub/sub is not permitted; waiting callers poll instead: {}", reason);
            }
        }
    }

    /** The processing of messages on a connection. */
    private final class LineReader implements SubscriberConnection.Reader {
        private final SubscriberConnection line;
        private final Reconnect reconnect;

        private LineReader(SubscriberConnection line, Reconnect reconnect) {
            this.line = line;
            this.reconnect = reconnect;
        }

        @Override
        public void answered(Word word, String channel) {
            subscriptions.answered(line, word, channel).forEach(Listener::listening);
            if (word == Word.PING) {
                reconnect.succeeded();
            } else if (servers.isSharded()) {
                repairAll();
            }
        }

        @Override
        public void replied(Object reply) {
            replied(subscriptions.replied(line, false), reply instanceof byte[] head ? head : null);
        }

        private void replied(@Nullable Sent sent, byte @Nullable [] head) {
            if (sent != null && sent.word() == Word.PING) {
                reconnect.succeeded();
            } else if (sent != null) {
                sent.looker().accept(head);
            }
        }

        @Override
        public void refused(JedisDataException why) {
            if (subscriptions.mayBeRefused(line)) {
                replied(subscriptions.replied(line, true), null);
                return;
            }
            boolean unknown = String.valueOf(why.getMessage()).startsWith("ERR unknown command");
            boolean redirected = why instanceof JedisRedirectionException;
            if (!subscriptions.refused(line, unknown, redirected)) {
                throw why;
            }
            if (redirected) {
                // With a pause, since the members of a cluster may disagree for a while.
                reconnect.failed(time.monotonicNanos());
            }
            line.flush();
            repairAll();
        }

        @Override
        public void message(String channel, byte[] message) {
            List<Listener> listeners = subscriptions.listeners(channel);
            Notice notice = listeners.isEmpty() ? null : NoticeFormat.read(message);
            if (notice != null) {
                listeners.forEach(listener -> listener.onNotice(notice));
            } else {
                LOG.debug("Ignored a message of {} bytes: it has no listener, or an unknown format", message.length);
            }
        }
    }

    private void pingLater() {
        if (pinging.compareAndSet(false, true)) {
            threads.later(SubscriberConnection.PING_NANOS, this::ping);
        }
    }

    private void ping() {
        try {
            subscriptions.ping().forEach(this::flushOrEnd);
        } finally {
            pinging.set(false);
            if (subscriptions.hasLines()) {
                pingLater();
            }
        }
    }

    private void flushOrEnd(SubscriberConnection line) {
        line.flush();
        if (line.idleNanos(subscriptions.isUsed(line), time.monotonicNanos()) >= idleNanos) {
            line.cut();
        }
    }

    /** Closes the connections and their threads. Listeners are not notified any more. */
    @Override
    public void close() {
        subscriptions.close().forEach(SubscriberConnection::cut);
        threads.shutdownNow();
    }

    /**
     * The format of the lease notifications that the scripts publish. The first byte selects the content:
     *
     * <ul>
     *   <li>{@code E}: the entry that was published, which begins with its token;
     *   <li>{@code T}: only the token of an entry too large for a message;
     *   <li>{@code U}: a result that is not stored, as an entry, which begins with its token;
     *   <li>{@code F}: the token of a load that failed, the cool-down in ms as decimal digits, a line feed, the failure;
     *   <li>{@code R}: nothing; the lease was released, or the key was put, invalidated or expired.
     * </ul>
     */
    static final class NoticeFormat {
        private static final int HEAD = 1 + LeaseToken.BYTES;
        private static final int MOST_DIGITS = 15;

        private NoticeFormat() {}

        /** Returns the notification in a message, {@code null} if the format is unknown. */
        static @Nullable Notice read(byte[] message) {
            if (message.length == 1 && message[0] == 'R') {
                return new Notice.Freed();
            }
            LeaseToken token = message.length < HEAD ? null : LeaseToken.startOf(from(message, 1));
            if (token == null) {
                return null;
            }
            return switch (message[0]) {
                case 'E' -> new Notice.Published(token, from(message, 1));
                case 'T' -> new Notice.Published(token, null);
                case 'U' -> new Notice.Unstored(token, from(message, 1));
                case 'F' -> failed(token, message);
                default -> null;
            };
        }

        private static @Nullable Notice failed(LeaseToken token, byte[] message) {
            int end = HEAD;
            while (end < message.length && message[end] >= '0' && message[end] <= '9') {
                end++;
            }
            if (end == HEAD || end > HEAD + MOST_DIGITS || end == message.length || message[end] != '\n') {
                return null;
            }
            String digits = new String(message, HEAD, end - HEAD, StandardCharsets.US_ASCII);
            return new Notice.Failed(token, from(message, end + 1), Duration.ofMillis(Long.parseLong(digits)));
        }

        private static byte[] from(byte[] message, int start) {
            return Arrays.copyOfRange(message, start, message.length);
        }
    }
}
