package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Sent;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Word;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * The connections on which servers notify one user, at most one to each server:
 *
 * <ol>
 *   <li>the user opens those that it needs, on background threads: one thread at a time for each group of channels that fail
 *       together, so that a server that does not answer does not affect the others;
 *   <li>each second a ping is sent on each, so that a dead connection is detected, and cut; and each authenticates again if the
 *       credentials have changed, before the server ends it for its former ones;
 *   <li>after a loss, connections are opened again, at once, then with growing pauses.
 * </ol>
 *
 * <p>A user extends this class, keeps its own state under the same lock, and processes answers and messages. The lock is held for a
 * few instructions; nothing is sent, and no listener is called, under it. <em>Thread-safe.</em>
 */
abstract class Subscribers implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);
    static final Runnable NOTHING = () -> {};

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A connection that has lived so long is opened again at once, as if it were the first that fails. */
    private static final long STEADY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_FAILURES = 10;
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

    final Servers servers;
    final BackgroundThreads threads;
    final TimeSource time;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Subscriber> subscribers = new HashMap<>();
    private final Map<Object, Opening> openings = new ConcurrentHashMap<>();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final AtomicBoolean askingForLogins = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final CallbackLog thrownByListeners;
    private final String messages;
    private final String warning;
    private boolean closed;

    /** Creates none yet; {@code messages} names them in the log, and {@code warning} says what follows if they are not permitted. */
    Subscribers(String messages, String warning, Servers servers, BackgroundThreads threads, TimeSource time) {
        this.messages = messages;
        this.warning = warning;
        this.servers = servers;
        this.threads = threads;
        this.time = time;
        this.thrownByListeners = new CallbackLog(LOG, time);
    }

    /** Opens the connections that a group needs, by {@link Opening#add}. Blocks; throws what Jedis throws. */
    abstract void open(Opening opening);

    /** Returns the groups of channels that lack a connection. The lock is held. */
    abstract Collection<?> missing();

    /** Sends pings, about once per second. */
    abstract void beat();

    /** Returns whether there is something to check each second. The lock is held. */
    abstract boolean isBeating();

    /**
     * Processes an answer to a command, or its refusal, and returns what remains to do without the lock. The lock is held.
     */
    abstract Runnable answered(Subscriber from, Sent sent, Object reply);

    abstract void message(String channel, byte[] message);

    /** Notes that a connection was removed. The lock is held. */
    abstract void lost(Subscriber subscriber);

    /** Notes that there will be no connections any more. The lock is held. */
    abstract void closing();

    final <T extends @Nullable Object> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    /** Calls a listener, and logs what it throws. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    final void guarded(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Thrown.rethrowFatal(thrown);
            thrownByListeners.add("A listener for " + messages + " threw an exception", thrown);
        }
    }

    final void underLock(Runnable step) {
        locked(() -> {
            step.run();
            return this;
        });
    }

    /** Returns whether this was closed. The lock is held. */
    final boolean isClosed() {
        return closed;
    }

    /** Returns the connection to a server. The lock is held. */
    final @Nullable Subscriber at(Object server) {
        return subscribers.get(server);
    }

    /** Returns all connections. The lock is held. */
    final Collection<Subscriber> all() {
        return List.copyOf(subscribers.values());
    }

    /** Adds a new connection, unless this is closed or its server has one. */
    final boolean add(Subscriber subscriber) {
        return locked(() -> !closed && subscribers.putIfAbsent(subscriber.server(), subscriber) == null);
    }

    /** Removes a connection, and returns whether it was present. */
    final boolean remove(Subscriber subscriber) {
        return locked(() -> {
            boolean was = subscribers.remove(subscriber.server(), subscriber);
            if (was) {
                lost(subscriber);
            }
            return was;
        });
    }

    /** Removes the connections that {@code which} selects under the lock, and returns them, to be cut. */
    final Collection<Subscriber> take(Supplier<Collection<Subscriber>> which) {
        return locked(() -> {
            Collection<Subscriber> taken = which.get();
            taken.forEach(this::remove);
            return taken;
        });
    }

    /** Takes a step under the lock, and sends what it has queued. */
    final void send(Runnable step) {
        underLock(step);
        locked(this::all).forEach(Subscriber::flush);
    }

    final void pingAll() {
        send(() -> all().forEach(Subscriber::ping));
    }

    final Opening opening(Object group) {
        return openings.computeIfAbsent(group, Opening::new);
    }

    /**
     * The opening of connections of one group, by one thread at a time: at once, after failures with growing pauses up to 1 s, with
     * jitter, no longer than those of the circuit breaker's probes: until they are connected again, near caches read each key from a
     * server that has just come back. 30 s after a refusal, which lasts until an operator acts.
     */
    final class Opening {
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicInteger failures = new AtomicInteger();
        private final Object group;
        private volatile long atNanos = time.monotonicNanos();

        private Opening(Object group) {
            this.group = group;
        }

        Object group() {
            return group;
        }

        /** Opens them on another thread, after the pause that is due. */
        void soon() {
            if (underWay.compareAndSet(false, true)) {
                threads.later(atNanos - time.monotonicNanos(), this::openNow);
            }
        }

        private void openNow() {
            try {
                open(this);
            } catch (RuntimeException | Error failure) {
                failed(failure);
            } finally {
                underWay.set(false);
                repair();
            }
        }

        /** Adds a new connection and reads from it; closes it if it is of no use. */
        void add(Subscriber opened) {
            if (Subscribers.this.add(opened)) {
                threads.execute(() -> read(opened));
                beatLater();
            } else {
                opened.end();
            }
        }

        private void read(Subscriber subscriber) {
            long beganNanos = time.monotonicNanos();
            Throwable failure = null;
            try {
                subscriber.read(reply -> process(reply, subscriber));
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
            try {
                if (removeAndDelay(subscriber, beganNanos, failure) && failure != null) {
                    report(failure);
                }
            } finally {
                ended();
            }
        }

        /**
         * Removes a connection that has failed, and sets the pause before anybody can see that there is none. Without a failure a
         * command could not be sent. Returns false if it was removed before it was cut.
         */
        private boolean removeAndDelay(Subscriber subscriber, long beganNanos, @Nullable Throwable failure) {
            return locked(() -> {
                boolean was = remove(subscriber);
                if (was) {
                    if (time.monotonicNanos() - beganNanos >= STEADY_NANOS) {
                        failures.set(0);
                    }
                    delay(failure);
                }
                return was;
            });
        }

        /** Processes a message, an answer, or a refusal; throws a {@link JedisException} for an unexpected one. */
        void process(Object reply, Subscriber from) {
            String kind = Subscriber.kind(reply);
            if (kind.equals("message") || kind.equals("smessage")) {
                message(Subscriber.channel(reply), Subscriber.message(reply));
                return;
            }
            Runnable unlocked = locked(() -> {
                Sent sent = from.answered(reply);
                if (sent.word() == Word.PING) {
                    failures.set(0);
                } else if (sent.word().isForChannel() && reply instanceof JedisRedirectionException) {
                    pause(); // the members of a cluster may disagree for a while
                }
                return answered(from, sent, reply);
            });
            unlocked.run();
        }

        void failed(Throwable failure) {
            delay(failure);
            report(failure);
        }

        /** Sets the pause before the next attempt. */
        private void delay(@Nullable Throwable failure) {
            if (failure != null && isRefusal(failure)) {
                atNanos = time.monotonicNanos() + jittered(REFUSED_NANOS);
            } else {
                pause();
            }
        }

        private void report(Throwable failure) {
            String reason = RedisFailure.reason(failure);
            LOG.debug("No connection for {}: {}", messages, reason);
            if (isRefusal(failure) && warned.compareAndSet(false, true)) {
                LOG.warn("{}: {}", warning, reason);
            }
        }

        private void pause() {
            int before = failures.getAndUpdate(count -> Math.min(count + 1, MOST_FAILURES));
            long nanos = before == 0 ? 0 : jittered(Math.min(LONGEST_NANOS, FIRST_NANOS << before));
            atNanos = time.monotonicNanos() + nanos;
        }

        private static long jittered(long nanos) {
            return ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1);
        }
    }

    /** Any other refusal, such as that the server is still loading, or has too many clients, is temporary. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof JedisAccessControlException
                || (failure instanceof JedisDataException
                        && String.valueOf(failure.getMessage()).startsWith("ERR ")
                        && !RedisFailure.isOfTooManyClients(failure));
    }

    /** Begins to open missing connections. */
    void repair() {
        locked(this::missing).forEach(group -> opening(group).soon());
    }

    /** Reacts to the end of a connection. */
    void ended() {
        repair();
    }

    final void beatLater() {
        if (beating.compareAndSet(false, true)) {
            threads.later(Subscriber.PING_NANOS, this::beatNow);
        }
    }

    private void beatNow() {
        try {
            beat();
            if (askingForLogins.compareAndSet(false, true)) {
                threads.later(Subscriber.PING_NANOS / 2, this::renewLogins);
            }
        } finally {
            beating.set(false);
            if (locked(this::isBeating)) {
                beatLater();
            }
        }
    }

    /** Opens a connection to a server, on which any command may be sent. Blocks; throws what Jedis throws. */
    final Subscriber opened(Object server, boolean isSharded) {
        List<String> login = servers.login(server); // the connection may find a newer one, which is then sent again
        Subscriber opened = new Subscriber(server, servers.open(server), login, isSharded, time);
        opened.speakResp3();
        return opened;
    }

    /** Authenticates again where there is a new login. User code, which may block, knows the newest one: no ping waits for it. */
    private void renewLogins() {
        try {
            locked(this::all).forEach(this::renewLogin);
        } finally {
            askingForLogins.set(false);
        }
    }

    private void renewLogin(Subscriber subscriber) {
        try {
            List<String> newest = servers.login(subscriber.server());
            send(() -> subscriber.authenticate(newest));
        } catch (RuntimeException | Error thrown) { // new connections fail as well, and report it
            CallbackLog.debug(LOG, "No credentials for " + messages, thrown);
        }
    }

    /** Closes the connections and their threads. */
    @Override
    public void close() {
        Collection<Subscriber> last = locked(() -> {
            closed = true;
            closing();
            Collection<Subscriber> all = all();
            subscribers.clear();
            return all;
        });
        last.forEach(Subscriber::cut);
        threads.shutdownNow();
    }
}
