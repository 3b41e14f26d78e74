package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.pubsub.NoticeConnection;
import io.stampedeguard.redis.internal.pubsub.Reconnect;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.store.InvalidationEvents.Listener;
import io.stampedeguard.store.InvalidationEvents.Watch;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Listens to what is told of changed entries:
 *
 * <ol>
 *   <li>the first watch opens a line to each server, on a thread of its own: one, or each master of a cluster. All caches
 *       share them. The last watch that is closed closes them;
 *   <li>who watches a part of a cache is told that it is listening when all servers that have the part have confirmed that they tell
 *       of the cache;
 *   <li>each second it is looked whether these are still all servers, and a ping is sent on each line. Its pong proves that
 *       nothing is missing that was changed before the ping was sent;
 *   <li>when a line is cut, a pong does not come, or the servers have changed, the listeners of that server are disconnected at once.
 *       Lines are opened anew, each on a thread of its own, at once, then with longer and longer pauses; the listeners are notified
 *       when they listen again.
 * </ol>
 *
 * <p><b>Why a pong proves that.</b> A server carries out one command after another, and sends what it says on one
 * connection in that order. What was changed before the ping was sent, was changed before the ping was carried out.
 *
 * <ul>
 *   <li>Announced: the script that changes an entry says so to the subscribers before it ends, thus before the pong.
 *   <li>Tracked: that is said when the server ends its round, after it has read from all connections that had something to
 *       read when the round began. A pong of the same round goes ahead of it. But a ping that was read in a round had
 *       been sent before the round began, as nothing else is under way on the line then; so the change came later.
 *   <li>On a cluster this holds for each master and its own slots; what the others tell over the bus proves nothing. So for each
 *       part the oldest proof of those masters counts that have it, if there is a line to each of them; and a look at which
 *       masters have it, too, proves that for no moment later than when it began.
 * </ul>
 *
 * <p><em>Thread-safe.</em> Who watches does not wait; everything happens on daemon threads, on which listeners are called
 * one after another.
 */
public final class InvalidationFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    /** A look that takes longer has met a server that does not answer, and another one is asked beside it. */
    private static final long SLOW_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_LOOKS = 4;

    private final ChangeServers servers;
    private final FeedProtocol feed;
    private final RedisKeys keys;
    private final TimeSource time;
    private final SerialExecutor calls = new SerialExecutor();
    private final ChangeWatches watches;
    private final BackgroundThreads threads;
    private final Semaphore looks = new Semaphore(MOST_LOOKS);
    private final Map<Object, Opening> openings = new ConcurrentHashMap<>();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();

    public InvalidationFeed(ChangeServers servers, FeedProtocol feed, RedisKeys keys, TimeSource time) {
        this(servers, feed, keys, time, new BackgroundThreads("stampedeguard-redis-changes", time));
    }

    public InvalidationFeed(
            ChangeServers servers, FeedProtocol feed, RedisKeys keys, TimeSource time, BackgroundThreads threads) {
        this.servers = servers;
        this.feed = feed;
        this.keys = keys;
        this.time = time;
        this.watches = new ChangeWatches(calls, servers::partOf, time);
        this.threads = threads;
    }

    public int parts() {
        return servers.parts();
    }

    public int partOf(String key) {
        return servers.partOf(key);
    }

    public Watch watch(String cache, Listener listener) {
        return begun(cache, List.of(watches.join(cache, listener)));
    }

    /** Watches each part of a cache by itself. */
    public Watch watchParts(String cache, List<? extends Listener> listeners) {
        return begun(cache, watches.joinParts(cache, listeners));
    }

    private Watch begun(String cache, List<ChangeWatch> joined) {
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

    /** Asks which servers there are, on another thread; then sees to it that all of them tell of all that is watched. */
    private void look() {
        if (watches.isWatched() && looks.tryAcquire()) {
            AtomicBoolean isOver = new AtomicBoolean();
            threads.execute(() -> {
                try {
                    lookNow();
                } catch (RuntimeException | Error failure) {
                    LOG.debug("Could not find the servers of invalidation messages", failure);
                } finally {
                    isOver.set(true);
                    looks.release();
                    mend();
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

    /** Sees to it that there is a line to each server, and that all is subscribed that can be. */
    private void mend() {
        if (watches.isWatched()) {
            watches.lineless()
                    .forEach(place ->
                            openings.computeIfAbsent(place, Opening::new).soon());
            flush(watches.subscribe());
        }
    }

    /** The opening of lines to one server, by one thread at a time. */
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
                mend();
            }
        }

        private void openNow() {
            Set<String> caches = watches.caches();
            Connection connection = prepared(servers.open(place), caches);
            SubscriberConnection opened =
                    new SubscriberConnection(new NoticeConnection(place, connection), false, time.monotonicNanos());
            ChangeLine line = new ChangeLine(opened, feed, caches);
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
                mend();
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
                LOG.warn("Redis does not permit invalidation messages, near caches are not used: {}", reason);
            }
        }
    }

    private Connection prepared(Connection connection, Set<String> caches) {
        try {
            feed.prepare(connection, caches);
            return connection;
        } catch (RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    /** Whatever else a server says against it, such as that it is still loading, will pass. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof JedisAccessControlException
                || (failure instanceof JedisDataException
                        && String.valueOf(failure.getMessage()).startsWith("ERR "));
    }

    /** What to do about what is read on a line. */
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

        @Override
        public void refused(JedisDataException why) {
            throw why;
        }

        /** Who announces something that is no key, for instance by hand, may mean any. */
        @Override
        public void message(String channel, byte[] message) {
            String key = keys.key(message);
            if (key != null) {
                watches.changed(key);
            } else {
                watches.changedAll(cacheOf(channel));
            }
            calls.makeAll();
        }

        @Override
        public void changed(@Nullable List<byte[]> tracked) {
            if (tracked == null) {
                watches.changedAll(null);
            } else {
                tracked.stream().map(keys::key).forEach(this::changed);
            }
            calls.makeAll();
        }

        /** Leases and strange keys begin like ours, and are none. */
        private void changed(@Nullable String key) {
            if (key != null) {
                watches.changed(key);
            }
        }
    }

    private @Nullable String cacheOf(String channel) {
        return watches.caches().stream()
                .filter(cache -> feed.channel(cache).equals(channel))
                .findFirst()
                .orElse(null);
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

    /** Ends the lines and their threads. The listeners are disconnected, and notified of nothing more. */
    @Override
    public void close() {
        cut(watches.close());
        calls.makeAll();
        threads.shutdownNow();
    }
}
