package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.redis.internal.connect.SerialExecutor;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Sent;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The feed of invalidation messages:
 *
 * <ol>
 *   <li>the first watch opens a connection to each server, on its own thread: to one, or to each master of a cluster. All
 *       caches share the connections. They are closed with the last watch;
 *   <li>a watch on a part of a cache is connected when all servers of the part have confirmed the subscription to the cache;
 *   <li>each second, the list of servers is checked, and a ping is sent on each connection. Its pong, or its refusal, proves that no
 *       message is missing for a change before the ping was sent;
 *   <li>a ping without an answer is reported, and so is a connection that is not opened within the timeout, for the circuit breaker:
 *       it then opens, if the server has stalled, before the entries of near caches end for want of a proof, and before each caller
 *       waits for a timeout;
 *   <li>when a connection is cut, a pong does not arrive, or the servers have changed, the listeners of that server are
 *       notified of the disconnection at once, and when they are connected again.
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
public final class InvalidationFeed extends Subscribers implements InvalidationEvents {
    /** A query that takes longer has met a server that does not answer; another server is then queried concurrently. */
    private static final long SLOW_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_LOOKS = 4;

    private final RedisKeys keys;
    private final SerialExecutor calls = new SerialExecutor();
    private final ObjLongConsumer<Object> onSilence;
    private final Semaphore looks = new Semaphore(MOST_LOOKS);
    private final Map<String, List<ChangeWatch>> watches = new HashMap<>();
    private final Map<Integer, Long> notifiedNanos = new HashMap<>();
    private Map<?, BitSet> current = Map.of();
    private long seenNanos;

    /** Creates a feed; {@code onSilence} takes a server that does not answer, and since what monotonic time. */
    public InvalidationFeed(
            Servers servers,
            RedisKeys keys,
            TimeSource time,
            ObjLongConsumer<Object> onSilence,
            BackgroundThreads threads) {
        super(
                "invalidations",
                "Redis does not permit invalidation messages; near caches are not used",
                servers,
                threads,
                time);
        this.keys = keys;
        this.onSilence = onSilence;
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
        List<ChangeWatch> joining = new ArrayList<>(listeners.size());
        for (Listener listener : listeners) {
            int part = listeners.size() == 1 ? ChangeWatch.ALL : joining.size();
            joining.add(new ChangeWatch(cache, part, listener));
        }
        underLock(() -> {
            if (!isClosed()) {
                watches.merge(
                        cache,
                        joining,
                        (some, others) ->
                                Stream.concat(some.stream(), others.stream()).toList());
                settle();
            }
        });
        threads.execute(calls::makeAll);
        look();
        beatLater();
        return () -> leave(cache, joining);
    }

    private void leave(String cache, List<ChangeWatch> leaving) {
        leaving.forEach(ChangeWatch::end);
        send(() -> {
            List<ChangeWatch> left = watches.getOrDefault(cache, List.of()).stream()
                    .filter(other -> !leaving.contains(other))
                    .toList();
            if (!left.isEmpty()) {
                watches.put(cache, left);
            } else if (watches.remove(cache) != null) {
                all().forEach(subscriber -> subscriber.unsubscribe(channel(cache)));
            }
        });
        cutIfIdle();
    }

    private void cutIfIdle() {
        take(() -> watches.isEmpty() ? all() : List.of()).forEach(Subscriber::cut);
    }

    @Override
    boolean isBeating() {
        return !watches.isEmpty();
    }

    /** Returns the channel on which the scripts publish the changes of a cache. */
    private String channel(String cache) {
        return new String(keys.changes(cache), StandardCharsets.ISO_8859_1);
    }

    /** Queries the servers on another thread, then adds missing connections and subscriptions. */
    private void look() {
        if (locked(this::isBeating) && looks.tryAcquire()) {
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
        List<String> caches = locked(() -> List.copyOf(watches.keySet()));
        if (!caches.isEmpty()) {
            long began = time.monotonicNanos();
            serversAre(servers.current(caches.get(0)), began);
        }
    }

    /**
     * Sets the current servers, and the parts of each, and cuts the connections that lead elsewhere. A part that has moved has a
     * gap: the last reports of its previous server may be lost unnoticed. Ignored if a request later than {@code seen} was answered
     * before.
     */
    void serversAre(Map<?, BitSet> now, long seen) {
        Collection<Subscriber> useless = take(() -> {
            if (!current.isEmpty() && seen - seenNanos < 0) {
                return List.of();
            }
            Map<?, BitSet> before = current;
            current = now;
            seenNanos = seen;
            each(watch -> {
                if (!serversOf(watch.part, before).equals(serversOf(watch.part, now))) {
                    watch.settle(false);
                }
            });
            settle();
            notifyProven();
            return all().stream()
                    .filter(subscriber -> !now.containsKey(subscriber.server()))
                    .toList();
        });
        calls.makeAll();
        useless.forEach(Subscriber::cut);
    }

    @Override
    Collection<?> missing() {
        return watches.isEmpty()
                ? List.of()
                : current.keySet().stream().filter(server -> at(server) == null).toList();
    }

    @Override
    void repair() {
        super.repair();
        send(() ->
                all().forEach(subscriber -> watches.keySet().forEach(cache -> subscriber.subscribe(channel(cache)))));
    }

    @Override
    void open(Opening opening) {
        if (locked(this::missing).contains(opening.group())) {
            opening.add(opened(opening.group()));
            cutIfIdle();
        }
    }

    /** The connection before may have ended for want of an answer before its silence was reported. */
    private Subscriber opened(Object server) {
        long beganNanos = time.monotonicNanos();
        try {
            return opened(server, false);
        } catch (RuntimeException failure) {
            if (RedisFailure.isTimeout(failure)) {
                onSilence.accept(server, beganNanos);
            }
            throw failure;
        }
    }

    @Override
    void ended() {
        calls.makeAll();
        look();
        repair();
    }

    @Override
    Runnable answered(Subscriber from, Sent sent, Object reply) {
        settle();
        notifyProven();
        return calls::makeAll;
    }

    /** A message that is not a key, for instance one sent by hand, may mean any key. */
    @Override
    void message(String channel, byte[] message) {
        String key = keys.key(message);
        underLock(key == null ? () -> changedAll(channel) : () -> changed(key));
        calls.makeAll();
    }

    private void changed(String key) {
        List<ChangeWatch> watching = watches.getOrDefault(RedisKeys.cacheOf(key), List.of());
        int part = watching.isEmpty() ? 0 : servers.partOf(key);
        watching.stream()
                .filter(watch -> watch.part == ChangeWatch.ALL || watch.part == part)
                .forEach(watch -> watch.queue(to -> to.changed(key)));
    }

    private void changedAll(String channel) {
        each(watch -> {
            if (channel(watch.cache).equals(channel)) {
                watch.queue(Listener::changedAll);
            }
        });
    }

    @Override
    void beat() {
        pingAll();
        threads.later(Subscriber.SILENCE_NANOS, this::reportSilence);
        look();
    }

    /** Reports the servers that have not answered a command for almost as long as an answer may take, and when it was sent. */
    void reportSilence() {
        locked(this::silent).forEach(onSilence::accept);
    }

    private Map<Object, Long> silent() {
        Map<Object, Long> silent = new HashMap<>();
        for (Subscriber each : all()) {
            Long sinceNanos = each.silentSinceNanos();
            if (sinceNanos != null) {
                silent.put(each.server(), sinceNanos);
            }
        }
        return silent;
    }

    @Override
    void lost(Subscriber subscriber) {
        settle();
    }

    private void settle() {
        each(watch -> watch.settle(isConnected(watch)));
    }

    private boolean isConnected(ChangeWatch watch) {
        Set<?> having = serversOf(watch.part, current);
        String channel = channel(watch.cache);
        return !having.isEmpty()
                && having.stream().map(this::at).allMatch(each -> each != null && each.isConfirmed(channel));
    }

    private static Set<?> serversOf(int part, Map<?, BitSet> parts) {
        return parts.entrySet().stream()
                .filter(each -> part == ChangeWatch.ALL || each.getValue().get(part))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Queues proofs: no report is missing up to the earliest proof of all connections, and of the list of servers. */
    private void notifyProven() {
        Map<Integer, List<ChangeWatch>> byPart = new HashMap<>();
        each(watch ->
                byPart.computeIfAbsent(watch.part, part -> new ArrayList<>()).add(watch));
        byPart.forEach((part, all) -> {
            Long proven = provenNanos(part);
            if (proven != null && !proven.equals(notifiedNanos.put(part, proven))) {
                all.stream()
                        .filter(watch -> watch.connected)
                        .forEach(watch -> watch.queue(to -> to.completeUpTo(() -> time.monotonicNanos() - proven)));
            }
        });
    }

    private @Nullable Long provenNanos(int part) {
        long oldest = seenNanos;
        for (Object server : serversOf(part, current)) {
            Subscriber subscriber = at(server);
            Long proven = subscriber == null ? null : subscriber.provenNanos();
            if (proven == null) {
                return null;
            }
            oldest = proven - oldest < 0 ? proven : oldest;
        }
        return oldest;
    }

    private void each(Consumer<ChangeWatch> action) {
        watches.values().forEach(all -> all.forEach(action));
    }

    /** The listeners are notified of the disconnection, and of nothing more. */
    @Override
    void closing() {
        each(watch -> watch.settle(false));
        watches.clear();
    }

    @Override
    public void close() {
        super.close();
        calls.makeAll();
    }

    /**
     * The watch of one listener on a cache, or on a part of its keys. Notifications are queued. <em>Not thread-safe</em>, except for
     * {@link #end}: guarded by the lock.
     */
    private final class ChangeWatch {
        private static final int ALL = -1;

        private final String cache;
        private final int part;
        private final Listener listener;
        private boolean connected;
        private volatile boolean ended;

        /** Creates a watch on a part of the keys, or {@link #ALL}; it is not connected yet. */
        ChangeWatch(String cache, int part, Listener listener) {
            this.cache = cache;
            this.part = part;
            this.listener = listener;
        }

        /** Notifies the listener of whether it is connected, if that has changed. */
        void settle(boolean nowConnected) {
            if (connected != nowConnected) {
                connected = nowConnected;
                queue(connected ? Listener::listening : Listener::disconnected);
            }
        }

        void queue(Consumer<Listener> call) {
            calls.add(() -> guarded(() -> {
                if (!ended) {
                    call.accept(listener);
                }
            }));
        }

        /** Ends the notifications; one may be in progress. */
        void end() {
            ended = true;
        }
    }
}
