package io.stampedeguard.redis;

import io.stampedeguard.redis.NoticeLine.Word;
import io.stampedeguard.store.Changes.Listener;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Who watches which caches, which servers have to be heard for that, and over which lines they are. A cache is heard
 * while each of the servers has confirmed it. Nothing here sends or calls anybody: methods tell which lines have something
 * to send, or are to be cut, and leave what listeners are to be told in a queue. <em>Thread-safe</em>, by one lock that is
 * held for a few instructions.
 */
final class ChangeWatches {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, List<ChangeWatch>> watches = new HashMap<>();
    private final Map<Object, ChangeLine> lines = new HashMap<>();
    private final CallQueue calls;
    private final TimeSource time;
    private Set<?> servers = Set.of();
    private long seenNanos;
    private long toldNanos;
    private boolean closed;

    ChangeWatches(CallQueue calls, TimeSource time) {
        this.calls = calls;
        this.time = time;
    }

    ChangeWatch join(String cache, Listener listener) {
        return locked(() -> {
            ChangeWatch watch = new ChangeWatch(cache, listener, calls);
            if (!closed) {
                watches.merge(cache, List.of(watch), ChangeWatches::joined);
                settle();
            }
            return watch;
        });
    }

    private static List<ChangeWatch> joined(List<ChangeWatch> some, List<ChangeWatch> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** Tells which lines have something to send. */
    Collection<ChangeLine> leave(ChangeWatch watch) {
        return locked(() -> {
            List<ChangeWatch> left = watches.getOrDefault(watch.cache(), List.of()).stream()
                    .filter(other -> other != watch)
                    .toList();
            if (!left.isEmpty()) {
                watches.put(watch.cache(), left);
            } else if (watches.remove(watch.cache()) != null) {
                lines.values().forEach(line -> line.unsubscribe(watch.cache(), time.monotonicNanos()));
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
     * Learns which servers there are. Takes those lines out, to be cut, that lead elsewhere or cannot carry all caches.
     *
     * @param seen when they were asked for
     */
    Collection<ChangeLine> serversAre(Set<?> places, long seen) {
        return locked(() -> {
            servers = places;
            seenNanos = seen;
            List<ChangeLine> useless = lines.values().stream()
                    .filter(line -> !places.contains(line.place())
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

    /** Tells to which servers there is no line. */
    List<Object> lineless() {
        return locked(() -> servers.stream()
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

    /** Tells whether a server is not even asked to tell all that is watched. */
    boolean isIncomplete() {
        return locked(
                () -> watches.keySet().stream().anyMatch(cache -> !isEverywhere(cache, ChangeLine::isSubscribed)));
    }

    private interface Stage {
        boolean isReached(ChangeLine line, String cache);
    }

    private boolean isEverywhere(String cache, Stage stage) {
        return !servers.isEmpty()
                && servers.stream().map(lines::get).allMatch(line -> line != null && stage.isReached(line, cache));
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
            watches.getOrDefault(RedisKeys.cacheOf(key), List.of()).forEach(watch -> watch.tell(to -> to.changed(key)));
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
        watches.forEach((cache, all) -> {
            boolean heard = isEverywhere(cache, ChangeLine::hears);
            all.forEach(watch -> watch.settle(heard));
        });
    }

    /** Nothing is missing up to the moment up to which nothing is on any line, and up to which these were all servers. */
    private void tellProven() {
        long oldest = seenNanos;
        for (Object place : servers) {
            ChangeLine line = lines.get(place);
            if (line == null || !line.isProven()) {
                return;
            }
            oldest = line.provenNanos() - oldest < 0 ? line.provenNanos() : oldest;
        }
        if (oldest != toldNanos) {
            toldNanos = oldest;
            long proven = oldest;
            each(watch -> watch.tellIfHeard(to -> to.heardAllBefore(() -> time.monotonicNanos() - proven)));
        }
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
