package io.stampedeguard.redis;

import io.stampedeguard.redis.NoticeLine.Word;
import io.stampedeguard.store.Changes.Listener;
import io.stampedeguard.store.Changes.Watch;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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
 *   <li>who watches a cache is told that it is listening when all servers have confirmed that they tell of it;
 *   <li>each second it is looked whether these are still all servers, and a ping is sent on each line. Its pong proves that
 *       nothing is missing that was changed before the ping was sent;
 *   <li>when a line is cut, a pong does not come, or the servers are others, all are told at once that they are deaf. Lines
 *       are opened anew, at once, then with longer and longer pauses, and all are told when they listen again.
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
 *   <li>On a cluster this holds for each master and its own slots; what the others tell over the bus proves nothing. So the
 *       oldest proof of all counts, if there is a line to each of them; and a look at which masters there are, too,
 *       proves that for no moment later than when it began.
 * </ul>
 *
 * <p><em>Thread-safe.</em> Who watches does not wait; everything happens on daemon threads, on which listeners are called
 * one after another.
 */
final class RedisChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private final ChangeServers servers;
    private final Feed feed;
    private final RedisKeys keys;
    private final TimeSource time;
    private final CallQueue calls = new CallQueue();
    private final ChangeWatches watches;
    private final NoticeThreads threads;
    private final AtomicBoolean mending = new AtomicBoolean();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Reconnect reconnect;

    RedisChanges(ChangeServers servers, ChangeFeed feed, RedisKeys keys, TimeSource time) {
        this.servers = servers;
        this.feed = Feed.of(feed, keys);
        this.keys = keys;
        this.time = time;
        this.watches = new ChangeWatches(calls, time);
        this.threads = new NoticeThreads("stampedeguard-redis-changes", time);
        this.reconnect = new Reconnect(time.monotonicNanos());
    }

    /** Listens to the servers of a client, if it has any to show. */
    static @Nullable RedisChanges of(@Nullable ChangeServers servers, ChangeFeed feed, RedisKeys keys) {
        return servers == null ? null : new RedisChanges(servers, feed, keys, TimeSource.system());
    }

    Watch watch(String cache, Listener listener) {
        ChangeWatch watch = watches.join(cache, listener);
        threads.execute(calls::makeAll);
        mend();
        beatLater();
        return () -> leave(watch);
    }

    private void leave(ChangeWatch watch) {
        watch.end();
        flush(watches.leave(watch));
        cut(watches.takeIfIdle());
    }

    /** Sees to it that all servers tell of all that is watched: soon, by one thread. */
    private void mend() {
        if (watches.isWatched() && mending.compareAndSet(false, true)) {
            threads.later(reconnect.delayNanos(time.monotonicNanos()), this::connect);
        }
    }

    private void connect() {
        try {
            Set<String> caches = watches.caches();
            if (!caches.isEmpty()) {
                lookQuietly(caches.iterator().next());
                watches.lineless().forEach(this::open);
                flush(watches.subscribe());
            }
        } finally { // also without memory for a thread
            mending.set(false);
            mendIfNeeded();
        }
    }

    private void lookQuietly(String cache) {
        try {
            look(cache);
        } catch (RuntimeException failure) {
            failed(failure);
        }
    }

    private void mendIfNeeded() {
        if (watches.isIncomplete()) {
            mend();
        }
    }

    private void look(String cache) {
        long began = time.monotonicNanos();
        Set<?> places = servers.places(cache);
        Collection<ChangeLine> useless = watches.serversAre(places, began);
        calls.makeAll();
        cut(useless);
    }

    private void open(Object place) {
        try {
            Set<String> caches = watches.caches();
            Connection connection = prepared(servers.open(place), caches);
            NoticeLine opened = new NoticeLine(new NoticeConnection(place, connection), false, time.monotonicNanos());
            ChangeLine line = new ChangeLine(opened, feed, caches);
            if (watches.add(line)) {
                threads.execute(() -> read(line));
            } else {
                opened.cut();
            }
        } catch (RuntimeException failure) {
            failed(failure);
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

    private void read(ChangeLine line) {
        try {
            line.line().read(new LineReader(line));
        } catch (RuntimeException failure) {
            if (watches.cut(line)) {
                failed(failure);
            }
        } finally {
            watches.cut(line);
            calls.makeAll();
            mendIfNeeded();
        }
    }

    private void failed(RuntimeException failure) {
        String reason = RedisFailure.reason(failure);
        LOG.debug("No line to hear of changes: {}", reason);
        if (!isRefusal(failure)) {
            reconnect.failed(time.monotonicNanos());
            return;
        }
        reconnect.refused(time.monotonicNanos());
        if (warned.compareAndSet(false, true)) {
            LOG.warn("Redis refuses to tell of changes, near caches do not answer: {}", reason);
        }
    }

    /** Whatever else a server says against it, such as that it is still loading, will pass. */
    private static boolean isRefusal(RuntimeException failure) {
        return failure instanceof JedisAccessControlException
                || (failure instanceof JedisDataException
                        && String.valueOf(failure.getMessage()).startsWith("ERR "));
    }

    /** What to do about what is read on a line. */
    private final class LineReader implements NoticeLine.Reader {
        private final ChangeLine line;

        private LineReader(ChangeLine line) {
            this.line = line;
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
            threads.later(NoticeLine.PING_NANOS, this::beat);
        }
    }

    private void beat() {
        try {
            Collection<ChangeLine> overdue = watches.takeOverdue();
            calls.makeAll();
            if (!overdue.isEmpty()) {
                failed(new JedisException("no pong"));
                cut(overdue);
            }
            flush(watches.ping());
            mend();
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

    /** Ends the lines and their threads. Who watches is told that it is deaf, and nothing more. */
    @Override
    public void close() {
        cut(watches.close());
        calls.makeAll();
        threads.shutdownNow();
    }
}
