package io.stampedeguard.redis.chaos;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.history.CommonGround;
import io.stampedeguard.redis.history.HistoryFile;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * One caller, which reads and changes rows at random and records each call: {@code get}, up to three {@code getAsync} at once,
 * {@code getAll} or {@code getAllAsync} of up to eight keys, and changes, each a write to the database and then an invalidation. An exception that the
 * cache does not promise ends the process.
 */
final class ChaosClient {
    private static final int CHANGES_OF_1000 = 20;
    private static final int FUTURES_OF_1000 = 200;
    private static final int MANY_OF_1000 = 200;
    private static final int MOST_FUTURES = 3;
    private static final int MOST_KEYS = 8;
    private static final int LONGEST_REST_MILLIS = 20;
    private static final long HANGS_AFTER_SECONDS = 60;

    private final CommonGround ground;
    private final HistoryFile history;
    private final List<StampedeGuardedCache<Long, String>> caches;
    private final ChaosOrigin origin;
    private final ChaosListener listener;
    private final Activity activity;
    private final SplittableRandom random;

    ChaosClient(ChaosMember member, HistoryFile history, SplittableRandom random) {
        this.ground = member.ground();
        this.caches = member.caches();
        this.origin = member.origin();
        this.listener = member.listener();
        this.activity = member.activity();
        this.history = history;
        this.random = random;
    }

    /** A call for a key that has begun: its number in the history. */
    private record Open(Kind kind, int key, int number) {}

    /** The result of a call, and who answered it; the value is {@code null} if it failed. */
    private record Answer<T>(T value, Throwable failure, Ending ending) {}

    void callUntil(BooleanSupplier over) throws Exception {
        while (!over.getAsBoolean()) {
            int dice = random.nextInt(1_000);
            long began = System.nanoTime();
            boolean answered;
            if (dice < CHANGES_OF_1000) {
                answered = change(drawKey());
            } else if (dice < CHANGES_OF_1000 + FUTURES_OF_1000) {
                answered = getAsync(1 + random.nextInt(MOST_FUTURES));
            } else if (dice < CHANGES_OF_1000 + FUTURES_OF_1000 + MANY_OF_1000) {
                answered = getAll(
                        random.nextBoolean() ? Kind.GET_ALL : Kind.GET_ALL_ASYNC, 2 + random.nextInt(MOST_KEYS - 1));
            } else {
                answered = get(drawKey());
            }
            activity.call(System.nanoTime() - began, answered);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_REST_MILLIS + 1));
        }
    }

    /** Half of the calls use a few hot keys. */
    private int drawKey() {
        return random.nextInt(random.nextBoolean() ? ChaosMember.HOT_KEYS : ChaosMember.KEYS);
    }

    private boolean get(int key) {
        Open open = begin(Kind.GET, key);
        listener.begin();
        long unanswered = listener.unanswered();
        try {
            String value = cacheOf(key).get((long) key);
            return end(open, listener.answer(1, unanswered), value);
        } catch (CacheException promised) {
            return threw(open);
        }
    }

    private boolean getAsync(int count) throws InterruptedException, ExecutionException, TimeoutException {
        List<Open> open = new ArrayList<>();
        List<CompletableFuture<Answer<String>>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int key = drawKey();
            open.add(begin(Kind.GET_ASYNC, key));
            listener.begin();
            long unanswered = listener.unanswered();
            futures.add(cacheOf(key)
                    .getAsync((long) key)
                    .handle((value, failure) -> new Answer<>(value, failure, listener.answer(1, unanswered))));
        }
        boolean all = true;
        for (int i = 0; i < count; i++) {
            Answer<String> answer = promised(futures.get(i).get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS));
            all &= answer.failure() == null ? end(open.get(i), answer.ending(), answer.value()) : threw(open.get(i));
        }
        return all;
    }

    private static <T> Answer<T> promised(Answer<T> answer) {
        if (answer.failure() != null && !(answer.failure() instanceof CacheException)) {
            throw new IllegalStateException("not promised", answer.failure());
        }
        return answer;
    }

    private boolean getAll(Kind kind, int count) throws InterruptedException, ExecutionException, TimeoutException {
        int first = drawKey();
        List<Long> keys = random.ints(count, 0, ChaosMember.KEYS)
                .filter(key -> cacheOf(key) == cacheOf(first) && key != first)
                .distinct()
                .mapToObj(Long::valueOf)
                .collect(Collectors.toCollection(ArrayList::new));
        keys.add((long) first);
        List<Open> open = keys.stream().map(key -> begin(kind, key.intValue())).toList();
        listener.begin();
        Answer<Map<Long, String>> answer =
                kind == Kind.GET_ALL ? readAll(cacheOf(first), keys) : readAllAsync(cacheOf(first), keys);
        Map<Long, String> values = answer.failure() instanceof BulkLoadException incomplete
                ? valuesOf(incomplete)
                : answer.failure() == null ? answer.value() : Map.of();
        for (Open each : open) {
            String value = values.get((long) each.key());
            if (value == null && answer.failure() != null) {
                threw(each);
            } else {
                end(each, answer.ending(), value);
            }
        }
        return answer.failure() == null;
    }

    private Answer<Map<Long, String>> readAll(StampedeGuardedCache<Long, String> cache, List<Long> keys) {
        long unanswered = listener.unanswered();
        try {
            Map<Long, String> values = cache.getAll(keys, origin::loadAll);
            return new Answer<>(values, null, listener.answer(keys.size(), unanswered));
        } catch (CacheException promised) {
            return new Answer<>(null, promised, listener.answer(keys.size(), unanswered));
        }
    }

    private Answer<Map<Long, String>> readAllAsync(StampedeGuardedCache<Long, String> cache, List<Long> keys)
            throws InterruptedException, ExecutionException, TimeoutException {
        long unanswered = listener.unanswered();
        return promised(cache.getAllAsync(keys, origin::loadAll)
                .handle((values, failure) -> new Answer<>(values, failure, listener.answer(keys.size(), unanswered)))
                .get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS));
    }

    private static Map<Long, String> valuesOf(BulkLoadException incomplete) {
        Map<Long, String> values = new HashMap<>();
        incomplete.values().forEach((key, value) -> values.put((Long) key, (String) value));
        return values;
    }

    private boolean change(int key) {
        Open write = begin(Kind.WRITE, key);
        try {
            end(write, Ending.RETURNED, origin.write(key));
        } catch (SQLException e) {
            threw(write); // it may have been written
        }
        Open invalidation = begin(Kind.INVALIDATION, key);
        try {
            cacheOf(key).invalidate((long) key);
            return end(invalidation, Ending.RETURNED, 0);
        } catch (StoreException queued) {
            return end(invalidation, Ending.WITHOUT_STORE, 0);
        }
    }

    private Open begin(Kind kind, int key) {
        return new Open(kind, key, history.begin(kind, key, ground.nextPlace()));
    }

    private boolean end(Open open, Ending ending, String value) {
        if (value == null) {
            throw new IllegalStateException("there is no value for " + open.key() + ", which the database has");
        }
        return end(open, ending, ChaosOrigin.versionIn(value, open.key()));
    }

    private boolean end(Open open, Ending ending, long version) {
        history.end(open.number(), open.kind(), ending, open.key(), ground.nextPlace(), version);
        return true;
    }

    private boolean threw(Open open) {
        history.end(open.number(), open.kind(), Ending.THREW, open.key(), ground.nextPlace(), 0);
        return false;
    }

    private StampedeGuardedCache<Long, String> cacheOf(int key) {
        return caches.get(key % caches.size());
    }
}
