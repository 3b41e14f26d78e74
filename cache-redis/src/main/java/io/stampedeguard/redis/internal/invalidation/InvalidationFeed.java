package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.invalidation.ChangeWatches.ChangeWatch;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.NoticeConnection;
import io.stampedeguard.redis.internal.pubsub.Reconnect;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The feed of invalidation messages:
 *
 * <ol>
 *   <li>the first watch opens a connection to each server, on its own thread: to one, or to each master of a cluster. All
 *       caches share the connections. They are closed with the last watch;
 *   <li>a watch on a part of a cache is connected when all servers of the part have confirmed the subscription to the cache;
 *   <li>each second, the list of servers is checked, and a ping is sent on each connection. Its pong, or its refusal, proves that no
 *       message is missing for a change before the ping was sent;
 *   <li>a ping without an answer is reported, for the circuit breaker: it then opens, if the server has stalled, before the
 *       entries of near caches end for want of a proof, and before each caller waits for a timeout;
 *   <li>when a connection is cut, a pong does not arrive, or the servers have changed, the listeners of that server are
 *       notified of the disconnection at once. Connections are reopened, each on its own thread, at once, then with growing
 *       pauses. The listeners are notified when they are connected again.
 * </ol>
 *
 * <p><b>Why a pong is a proof.</b> A server executes one command after another, and sends its output on one connection in that
 * order. A change before the ping was sent is a change before the ping was executed, or refused. The script that changes an entry
 * publishes the change before it ends, thus before the pong. On a cluster, this holds for each master and its own slots; messages of
 * other masters over the bus prove nothing. So for each part, the oldest proof of its masters counts, if there is a connection to
 * each of them. A query of the masters of a part, too, proves nothing about moments after it began.
 *
 * <p><em>Thread-safe.</em> A watch does not block. Everything happens on daemon threads, on which listeners are called one
 * after another.
 */
public final class InvalidationFeed implements InvalidationEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    /** A query that takes longer has met a server that does not answer; another server is then queried concurrently. */
    private static final long SLOW_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_LOOKS = 4;

    private final ChangeServers servers;
    private final RedisKeys keys;
    private final TimeSource time;
    private final SerialExecutor calls = new SerialExecutor();
    private final ChangeWatches watches;
    private final BackgroundThreads threads;
    private final ObjLongConsumer<Object> onSilence;
    private final Semaphore looks = new Semaphore(MOST_LOOKS);
    private final Map<Object, Opening> openings = new ConcurrentHashMap<>();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Creates a feed; {@code onSilence} takes a server that does not answer a ping, and the monotonic time when that was sent. */
    public InvalidationFeed(ChangeServers servers, RedisKeys keys, TimeSource time, ObjLongConsumer<Object> onSilence) {
        this(servers, keys, time, onSilence, new BackgroundThreads("stampedeguard-redis-changes", time));
    }

    public InvalidationFeed(
            ChangeServers servers,
            RedisKeys keys,
            TimeSource time,
            ObjLongConsumer<Object> onSilence,
            BackgroundThreads threads) {
        this.onSilence = onSilence;
        this.servers = servers;
        this.keys = keys;
        this.time = time;
        this.watches = new ChangeWatches(calls, servers::partOf, time);
        this.threads = threads;
    }

    @Override
    public int parts() {
        return servers.parts();
    }

    @Override
    public int partOf(String key) {
        return servers.partOf(key);
    }

    @Override
    public Watch watchChanges(String cache, List<? extends Listener> listeners) {
        List<ChangeWatch> joined = watches.join(cache, listeners);
        threads.execute(calls::makeAll);
        look();
        beatLater();
        return () -> leave(cache, joined);
    }

    private void leave(String cache, List<ChangeWatch> leaving) {
        leaving.forEach(ChangeWatch::end);
        flush(watches.leave(cache, leaving));
        cut(watches.takeIfIdle());
    }

    /** Queries the servers on another thread, then adds missing connections and subscriptions. */
    private void look() {
        if (watches.isWatched() && looks.tryAcquire()) {
            AtomicBoolean isOver = new AtomicBoolean();
            threads.execute(() -> {
                try {
                    lookNow();
                } catch (RuntimeException | Error failure) {
                    CallbackLog.debug(LOG, "Could not find the servers of invalidation messages", failure);
                } finally {
                    isOver.set(true);
                    looks.release();
                    repair();
                }
            });
            threads.later(SLOW_LOOK_NANOS, () -> {
                if (!isOver.get()) {
                    look();
                }
            });
        }
    }

    private void lookNow() {
        Set<String> caches = watches.caches();
        if (!caches.isEmpty()) {
            long began = time.monotonicNanos();
            Collection<ChangeLine> useless =
                    watches.serversAre(servers.places(caches.iterator().next()), began);
            calls.makeAll();
            cut(useless);
        }
    }

    private void repair() {
        if (watches.isWatched()) {
            watches.lineless()
                    .forEach(place ->
                            openings.computeIfAbsent(place, Opening::new).soon());
            flush(watches.subscribe());
        }
    }

    /** The opening of connections to one server, by one thread at a time. */
    private final class Opening {
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final Reconnect reconnect = new Reconnect(time.monotonicNanos());
        private final Object place;

        private Opening(Object place) {
            this.place = place;
        }

        private void soon() {
            if (underWay.compareAndSet(false, true)) {
                threads.later(reconnect.delayNanos(time.monotonicNanos()), this::open);
            }
        }

        private void open() {
            try {
                if (watches.lineless().contains(place)) {
                    openNow();
                }
            } catch (RuntimeException | Error failure) {
                failed(failure);
            } finally {
                underWay.set(false);
                repair();
            }
        }

        private void openNow() {
            Connection connection = servers.open(place);
            SubscriberConnection opened =
                    new SubscriberConnection(new NoticeConnection(place, connection), false, time.monotonicNanos());
            ChangeLine line = new ChangeLine(opened, keys);
            if (watches.add(line)) {
                threads.execute(() -> read(line));
            } else {
                opened.cut();
            }
        }

        private void read(ChangeLine line) {
            try {
                line.line().read(new LineReader(line, reconnect));
            } catch (RuntimeException | Error failure) {
                if (watches.cut(line)) {
                    failed(failure);
                }
            } finally {
                watches.cut(line);
                calls.makeAll();
                look();
                repair();
            }
        }

        private void failed(Throwable failure) {
            String reason = RedisFailure.reason(failure);
            LOG.debug("No connection for invalidation messages: {}", reason);
            if (!isRefusal(failure)) {
                reconnect.failed(time.monotonicNanos());
                return;
            }
            reconnect.refused(time.monotonicNanos());
            if (warned.compareAndSet(false, true)) {
                LOG.warn("Redis does not permit invalidation messages; near caches are not used: {}", reason);
            }
        }
    }

    /** Any other refusal, such as that the server is still loading, or has too many clients, is temporary. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof JedisAccessControlException
                || (failure instanceof JedisDataException
                        && String.valueOf(failure.getMessage()).startsWith("ERR ")
                        && !RedisFailure.isOfTooManyClients(failure));
    }

    /** The processing of messages on a connection. */
    private final class LineReader implements SubscriberConnection.Reader {
        private final ChangeLine line;
        private final Reconnect reconnect;

        private LineReader(ChangeLine line, Reconnect reconnect) {
            this.line = line;
            this.reconnect = reconnect;
        }

        @Override
        public void answered(Word word, String channel) {
            watches.answered(line, word, channel);
            calls.makeAll();
            if (word == Word.PING) {
                reconnect.succeeded();
            }
        }

        /** The refusal of a ping, as by a server that cannot save its data, proves what a pong does. */
        @Override
        public void refused(JedisDataException why) {
            if (!watches.awaitsPong(line)) {
                throw why;
            }
            answered(Word.PING, "");
        }

        /** A message that is not a key, for instance one sent by hand, may mean any key. */
        @Override
        public void message(String channel, byte[] message) {
            String key = keys.key(message);
            if (key != null) {
                watches.changed(key);
            } else {
                watches.caches().stream()
                        .filter(cache -> ChangeLine.channel(keys, cache).equals(channel))
                        .forEach(watches::changedAll);
            }
            calls.makeAll();
        }
    }

    private void beatLater() {
        if (beating.compareAndSet(false, true)) {
            threads.later(SubscriberConnection.PING_NANOS, this::beat);
        }
    }

    private void beat() {
        try {
            Collection<ChangeLine> overdue = watches.takeOverdue();
            calls.makeAll();
            overdue.forEach(
                    line -> openings.computeIfAbsent(line.place(), Opening::new).failed(new JedisException("no pong")));
            cut(overdue);
            flush(watches.ping());
            threads.later(ChangeLine.SILENCE_NANOS, () -> watches.silent().forEach(onSilence::accept));
            look();
        } finally {
            beating.set(false);
            if (watches.isWatched()) {
                beatLater();
            }
        }
    }

    private static void flush(Collection<ChangeLine> lines) {
        lines.forEach(line -> line.line().flush());
    }

    private static void cut(Collection<ChangeLine> lines) {
        lines.forEach(line -> line.line().cut());
    }

    /** Closes the connections and their threads. The listeners are notified of the disconnection, and of nothing more. */
    @Override
    public void close() {
        cut(watches.close());
        calls.makeAll();
        threads.shutdownNow();
    }
}
