package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The watches on caches, the servers that they need, and the connections to those servers. A watch on a part of a cache is
 * connected while each server of that part has confirmed the cache. This class does not send anything or call listeners: its
 * methods return the connections that have something to send, or are to be cut, and queue notifications. <em>Thread-safe</em>,
 * by one lock that is held for a few instructions.
 */
final class ChangeWatches {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, List<ChangeWatch>> watches = new HashMap<>();
    private final Map<Object, ChangeLine> lines = new HashMap<>();
    private final Map<Integer, Long> notifiedNanos = new HashMap<>();
    private final SerialExecutor calls;
    private final ToIntFunction<String> partOf;
    private final TimeSource time;
    private final CallbackLog failures;
    private Map<?, BitSet> servers = Map.of();
    private long seenNanos;
    private boolean closed;

    ChangeWatches(SerialExecutor calls, ToIntFunction<String> partOf, TimeSource time) {
        this.calls = calls;
        this.partOf = partOf;
        this.time = time;
        this.failures = new CallbackLog(LOG, time);
    }

    /** Begins one watch for each listener: of the part with its number, or of all if it is the only one. */
    List<ChangeWatch> join(String cache, List<? extends Listener> listeners) {
        List<ChangeWatch> joining = new ArrayList<>(listeners.size());
        for (Listener listener : listeners) {
            int part = listeners.size() == 1 ? ChangeWatch.ALL : joining.size();
            joining.add(new ChangeWatch(cache, part, listener, calls, failures));
        }
        return locked(() -> {
            if (!closed) {
                watches.merge(cache, joining, ChangeWatches::joined);
                settle();
            }
            return joining;
        });
    }

    private static List<ChangeWatch> joined(List<ChangeWatch> some, List<ChangeWatch> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** Removes watches, and returns the connections that have something to send. */
    Collection<ChangeLine> leave(String cache, List<ChangeWatch> leaving) {
        return locked(() -> {
            List<ChangeWatch> left = watches.getOrDefault(cache, List.of()).stream()
                    .filter(other -> !leaving.contains(other))
                    .toList();
            if (!left.isEmpty()) {
                watches.put(cache, left);
            } else if (watches.remove(cache) != null) {
                lines.values().forEach(line -> line.unsubscribe(cache, time.monotonicNanos()));
            }
            return List.copyOf(lines.values());
        });
    }

    boolean isWatched() {
        return locked(() -> !watches.isEmpty());
    }

    /** Removes and returns all connections, to be cut, if there are no watches. */
    Collection<ChangeLine> takeIfIdle() {
        return locked(() -> watches.isEmpty() ? takeAll() : List.of());
    }

    private Collection<ChangeLine> takeAll() {
        List<ChangeLine> all = List.copyOf(lines.values());
        lines.clear();
        return all;
    }

    /**
     * Sets the current servers, and the parts of each. Removes and returns the connections, to be cut, that lead elsewhere. A part
     * that has moved has a gap: the last reports of its previous server may be lost unnoticed. Ignored if a request later than
     * {@code seen} was answered before.
     */
    Collection<ChangeLine> serversAre(Map<?, BitSet> places, long seen) {
        return locked(() -> {
            if (!servers.isEmpty() && seen - seenNanos < 0) {
                return List.of();
            }
            Map<?, BitSet> before = servers;
            servers = places;
            seenNanos = seen;
            each(watch -> {
                if (!serversOf(watch.part(), before).equals(serversOf(watch.part(), places))) {
                    watch.settle(false);
                }
            });
            List<ChangeLine> useless = lines.values().stream()
                    .filter(line -> !places.containsKey(line.place()))
                    .toList();
            useless.forEach(line -> lines.remove(line.place(), line));
            settle();
            notifyProven();
            return useless;
        });
    }

    Set<String> caches() {
        return locked(() -> Set.copyOf(watches.keySet()));
    }

    /** Returns the servers without a connection. */
    List<Object> lineless() {
        return locked(() -> servers.keySet().stream()
                .<Object>map(place -> place)
                .filter(place -> !lines.containsKey(place))
                .toList());
    }

    /** Adds a new connection, unless there are no watches or its server has one. */
    boolean add(ChangeLine line) {
        return locked(() -> !watches.isEmpty() && lines.putIfAbsent(line.place(), line) == null);
    }

    /** Adds missing subscriptions, and returns the connections that may have something to send. */
    Collection<ChangeLine> subscribe() {
        return locked(() -> {
            for (ChangeLine line : lines.values()) {
                watches.keySet().forEach(cache -> line.subscribe(cache, time.monotonicNanos()));
            }
            return List.copyOf(lines.values());
        });
    }

    private boolean isConnected(ChangeWatch watch) {
        Set<Object> having = serversOf(watch.part(), servers);
        return !having.isEmpty()
                && having.stream().map(lines::get).allMatch(line -> line != null && line.listensTo(watch.cache()));
    }

    private static Set<Object> serversOf(int part, Map<?, BitSet> places) {
        Set<Object> having = new HashSet<>();
        places.forEach((place, parts) -> {
            if (part == ChangeWatch.ALL || parts.get(part)) {
                having.add(place);
            }
        });
        return having;
    }

    /** Queues a ping on each connection without pending answers, and returns those that may have something to send. */
    Collection<ChangeLine> ping() {
        return locked(() -> {
            long now = time.monotonicNanos();
            lines.values().forEach(line -> line.ping(now));
            return List.copyOf(lines.values());
        });
    }

    /** Returns the servers that have not answered a ping for almost as long as an answer may take, and when it was sent. */
    Map<Object, Long> silent() {
        return locked(() -> {
            long now = time.monotonicNanos();
            Map<Object, Long> silent = new HashMap<>();
            lines.values().stream()
                    .filter(line -> line.isSilent(now))
                    .forEach(line -> silent.put(line.place(), line.pingedNanos()));
            return silent;
        });
    }

    /** Removes and returns the connections, to be cut, on which an answer is overdue. */
    Collection<ChangeLine> takeOverdue() {
        return locked(() -> {
            List<ChangeLine> overdue = lines.values().stream()
                    .filter(line -> line.isOverdue(time.monotonicNanos()))
                    .toList();
            overdue.forEach(this::cut);
            return overdue;
        });
    }

    /** Removes a connection, and returns whether it was present. */
    boolean cut(ChangeLine line) {
        return locked(() -> {
            boolean was = lines.remove(line.place(), line);
            settle();
            return was;
        });
    }

    /** Returns whether a reply to a ping is expected next. */
    boolean awaitsPong(ChangeLine line) {
        return locked(() -> line.awaitsPong());
    }

    /** Processes an answer; throws a {@link JedisException} if it was not expected. */
    void answered(ChangeLine line, Word word, String channel) {
        locked(() -> {
            line.answered(word, channel, time.monotonicNanos());
            settle();
            notifyProven();
            return line;
        });
    }

    /** Queues the notification that an entry was changed. */
    void changed(String key) {
        locked(() -> {
            List<ChangeWatch> watching = watches.getOrDefault(RedisKeys.cacheOf(key), List.of());
            int part = watching.isEmpty() ? 0 : partOf.applyAsInt(key);
            watching.stream().filter(watch -> watch.isOf(part)).forEach(watch -> watch.queue(to -> to.changed(key)));
            return key;
        });
    }

    /** Queues the notification that any entry of a cache may have been changed. */
    void changedAll(String cache) {
        locked(() -> {
            watches.getOrDefault(cache, List.of()).forEach(watch -> watch.queue(Listener::changedAll));
            return cache;
        });
    }

    private void settle() {
        each(watch -> watch.settle(isConnected(watch)));
    }

    /** Queues proofs: no report is missing up to the earliest proof of all connections, and of the list of servers. */
    private void notifyProven() {
        Map<Integer, List<ChangeWatch>> byPart = new HashMap<>();
        each(watch ->
                byPart.computeIfAbsent(watch.part(), part -> new ArrayList<>()).add(watch));
        byPart.forEach((part, all) -> {
            Long proven = provenNanos(part);
            if (proven != null && !proven.equals(notifiedNanos.put(part, proven))) {
                all.forEach(
                        watch -> watch.notifyIfConnected(to -> to.completeUpTo(() -> time.monotonicNanos() - proven)));
            }
        });
    }

    private @Nullable Long provenNanos(int part) {
        long oldest = seenNanos;
        for (Object place : serversOf(part, servers)) {
            ChangeLine line = lines.get(place);
            if (line == null || !line.isProven()) {
                return null;
            }
            oldest = line.provenNanos() - oldest < 0 ? line.provenNanos() : oldest;
        }
        return oldest;
    }

    private void each(Consumer<ChangeWatch> action) {
        watches.values().forEach(all -> all.forEach(action));
    }

    /** Removes everything, and returns the connections, to be cut. */
    Collection<ChangeLine> close() {
        return locked(() -> {
            closed = true;
            each(watch -> watch.settle(false));
            watches.clear();
            return takeAll();
        });
    }

    private <T extends @Nullable Object> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The watch of one listener on a cache, or on a part of its keys, which catches the listener's exceptions. Notifications are
     * queued. <em>Not thread-safe</em>, except for {@link #end}: guarded by the lock of {@link ChangeWatches}.
     */
    static final class ChangeWatch {
        static final int ALL = -1;

        private final String cache;
        private final int part;
        private final Listener listener;
        private final SerialExecutor calls;
        private final CallbackLog failures;
        private boolean connected;
        private volatile boolean ended;

        /** Creates a watch on a part of the keys, or {@link #ALL}; it is not connected yet. */
        ChangeWatch(String cache, int part, Listener listener, SerialExecutor calls, CallbackLog failures) {
            this.cache = cache;
            this.part = part;
            this.listener = listener;
            this.calls = calls;
            this.failures = failures;
        }

        String cache() {
            return cache;
        }

        int part() {
            return part;
        }

        boolean isOf(int other) {
            return part == ALL || part == other;
        }

        /** Notifies the listener of whether it is connected, if that has changed. */
        void settle(boolean nowConnected) {
            if (connected != nowConnected) {
                connected = nowConnected;
                queue(connected ? Listener::listening : Listener::disconnected);
            }
        }

        void notifyIfConnected(Consumer<Listener> call) {
            if (connected) {
                queue(call);
            }
        }

        void queue(Consumer<Listener> call) {
            calls.add(() -> guarded(call));
        }

        @SuppressWarnings("CatchingUnchecked") // user callback
        private void guarded(Consumer<Listener> call) {
            try {
                if (!ended) {
                    call.accept(listener);
                }
            } catch (Throwable thrown) {
                Thrown.rethrowFatal(thrown);
                failures.add("A listener for invalidations threw an exception", thrown);
            }
        }

        /** Ends the notifications; one may be in progress. */
        void end() {
            ended = true;
        }
    }
}
