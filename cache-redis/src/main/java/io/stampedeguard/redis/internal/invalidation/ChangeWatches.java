package io.stampedeguard.redis.internal.invalidation;

import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.store.InvalidationEvents.Listener;
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
import redis.clients.jedis.exceptions.JedisException;

/**
 * Who watches which caches, which servers have to be heard for that, and over which lines they are. A part of a cache is heard
 * while each of the servers that have the part has confirmed the cache. Nothing here sends or calls anybody: methods tell which lines have something
 * to send, or are to be cut, and leave what listeners are to be told in a queue. <em>Thread-safe</em>, by one lock that is
 * held for a few instructions.
 */
final class ChangeWatches {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, List<ChangeWatch>> watches = new HashMap<>();
    private final Map<Object, ChangeLine> lines = new HashMap<>();
    private final Map<Integer, Long> toldNanos = new HashMap<>();
    private final SerialExecutor calls;
    private final ToIntFunction<String> partOf;
    private final TimeSource time;
    private Map<?, BitSet> servers = Map.of();
    private long seenNanos;
    private boolean closed;

    /**
     * Creates an empty set of watches.
     *
     * @param partOf tells the part in which a key is
     */
    ChangeWatches(SerialExecutor calls, ToIntFunction<String> partOf, TimeSource time) {
        this.calls = calls;
        this.partOf = partOf;
        this.time = time;
    }

    /** Takes in who watches all keys of a cache. */
    ChangeWatch join(String cache, Listener listener) {
        return join(cache, List.of(new ChangeWatch(cache, ChangeWatch.ALL, listener, calls)))
                .get(0);
    }

    /** Takes in who watches the parts of a cache. */
    List<ChangeWatch> joinParts(String cache, List<? extends Listener> listeners) {
        List<ChangeWatch> parts = new ArrayList<>(listeners.size());
        listeners.forEach(listener -> parts.add(new ChangeWatch(cache, parts.size(), listener, calls)));
        return join(cache, parts);
    }

    private List<ChangeWatch> join(String cache, List<ChangeWatch> joining) {
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

    /** Removes the watches that end, and returns the lines that have something to send. */
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

    /** Takes all lines out, to be cut, if nobody watches. */
    Collection<ChangeLine> takeIfIdle() {
        return locked(() -> watches.isEmpty() ? takeAll() : List.of());
    }

    private Collection<ChangeLine> takeAll() {
        List<ChangeLine> all = List.copyOf(lines.values());
        lines.clear();
        return all;
    }

    /**
     * Learns which servers there are, and which parts each has. Takes those lines out, to be cut, that lead elsewhere or cannot carry
     * all caches. A part that has moved has a gap: what the server that had it said last may have been lost unnoticed.
     *
     * @param seen when they were asked for; what was asked for before something that is known already does not count
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
                    .filter(line -> !places.containsKey(line.place())
                            || !watches.keySet().stream().allMatch(line::canCarry))
                    .toList();
            useless.forEach(line -> lines.remove(line.place(), line));
            settle();
            tellProven();
            return useless;
        });
    }

    Set<String> caches() {
        return locked(() -> Set.copyOf(watches.keySet()));
    }

    /** Returns the servers to which there is no line. */
    List<Object> lineless() {
        return locked(() -> servers.keySet().stream()
                .<Object>map(place -> place)
                .filter(place -> !lines.containsKey(place))
                .toList());
    }

    /** Takes a new line in, unless nobody watches or its server has one. */
    boolean add(ChangeLine line) {
        return locked(() -> !watches.isEmpty() && lines.putIfAbsent(line.place(), line) == null);
    }

    /** Subscribes on all lines what is not yet; tells which lines may have something to send. */
    Collection<ChangeLine> subscribe() {
        return locked(() -> {
            for (ChangeLine line : lines.values()) {
                watches.keySet().stream()
                        .filter(line::canCarry)
                        .forEach(cache -> line.subscribe(cache, time.monotonicNanos()));
            }
            return List.copyOf(lines.values());
        });
    }

    private boolean isHeard(ChangeWatch watch) {
        Set<Object> having = serversOf(watch.part(), servers);
        return !having.isEmpty()
                && having.stream().map(lines::get).allMatch(line -> line != null && line.hears(watch.cache()));
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

    /** Says a ping on each line on which nothing is awaited; tells which lines may have something to send. */
    Collection<ChangeLine> ping() {
        return locked(() -> {
            long now = time.monotonicNanos();
            lines.values().forEach(line -> line.ping(now));
            return List.copyOf(lines.values());
        });
    }

    /** Takes those lines out, to be cut, on which an answer is overdue. */
    Collection<ChangeLine> takeOverdue() {
        return locked(() -> {
            List<ChangeLine> overdue = lines.values().stream()
                    .filter(line -> line.isOverdue(time.monotonicNanos()))
                    .toList();
            overdue.forEach(this::cut);
            return overdue;
        });
    }

    /** Takes a line out; tells whether it was in. */
    boolean cut(ChangeLine line) {
        return locked(() -> {
            boolean was = lines.remove(line.place(), line);
            settle();
            return was;
        });
    }

    /**
     * Takes in an answer.
     *
     * @throws JedisException if nobody asked for that answer
     */
    void answered(ChangeLine line, Word word, String channel) {
        locked(() -> {
            line.answered(word, channel, time.monotonicNanos());
            settle();
            tellProven();
            return line;
        });
    }

    /** An entry was changed. */
    void changed(String key) {
        locked(() -> {
            List<ChangeWatch> told = watches.getOrDefault(RedisKeys.cacheOf(key), List.of());
            int part = told.isEmpty() ? 0 : partOf.applyAsInt(key);
            told.stream().filter(watch -> watch.isOf(part)).forEach(watch -> watch.tell(to -> to.changed(key)));
            return key;
        });
    }

    /**
     * Any entry may have been changed.
     *
     * @param cache of which cache; {@code null} of all
     */
    void changedAll(@Nullable String cache) {
        locked(() -> {
            each(watch -> {
                if (cache == null || cache.equals(watch.cache())) {
                    watch.tell(Listener::changedAll);
                }
            });
            return cache;
        });
    }

    private void settle() {
        each(watch -> watch.settle(isHeard(watch)));
    }

    /** Nothing is missing up to the moment up to which nothing is on any line, and up to which these were all servers. */
    private void tellProven() {
        Map<Integer, List<ChangeWatch>> byPart = new HashMap<>();
        each(watch ->
                byPart.computeIfAbsent(watch.part(), part -> new ArrayList<>()).add(watch));
        byPart.forEach((part, all) -> {
            Long proven = provenNanos(part);
            if (proven != null && !proven.equals(toldNanos.put(part, proven))) {
                all.forEach(watch -> watch.tellIfHeard(to -> to.completeUpTo(() -> time.monotonicNanos() - proven)));
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

    /** Forgets all; tells the lines that were there, to be cut. */
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
}
