package io.stampedeguard.redis.chaos;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.redis.chaos.ChaosHistory.Open;
import io.stampedeguard.redis.history.HistoryFile;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.sql.SQLException;
import java.time.Duration;
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
 * One caller, which reads and changes rows at random and records each call: {@code get}, some with a {@code maxWait}, up to three {@code
 * getAsync} at once, {@code getAll} or {@code getAllAsync} of up to eight keys, {@code lookup}, which is followed by a {@code put} with its
 * fence if it finds nothing, and {@link ChaosChanges}. An exception that the cache does not promise ends the process.
 */
final class ChaosClient {
    private static final int CHANGES_OF_1000 = 20;
    private static final int FUTURES_OF_1000 = 200;
    private static final int MANY_OF_1000 = 200;
    private static final int BY_HAND_OF_1000 = 60;
    private static final int PATIENT_OF_1000 = 60;
    private static final int MOST_WAIT_MILLIS = 200;
    private static final int MOST_FUTURES = 3;
    private static final int MOST_KEYS = 8;
    private static final int LONGEST_REST_MILLIS = 20;
    private static final long HANGS_AFTER_SECONDS = 60;

    private final ChaosHistory history;
    private final ChaosChanges changes;
    private final List<StampedeGuardedCache<Long, String>> caches;
    private final ChaosOrigin origin;
    private final ChaosListener listener;
    private final Activity activity;
    private final SplittableRandom random;

    ChaosClient(ChaosMember member, HistoryFile file, SplittableRandom random) {
        this.history = new ChaosHistory(member.ground(), file);
        this.changes = new ChaosChanges(member, history, random);
        this.caches = member.caches();
        this.origin = member.origin();
        this.listener = member.listener();
        this.activity = member.activity();
        this.random = random;
    }

    /** The result of a call, and who answered it; the value is {@code null} if it failed. */
    private record Answer<T>(T value, Throwable failure, Ending ending) {}

    void callUntil(BooleanSupplier over) throws Exception {
        while (!over.getAsBoolean()) {
            long began = System.nanoTime();
            boolean answered = call(random.nextInt(1_000));
            activity.call(System.nanoTime() - began, answered);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_REST_MILLIS + 1));
        }
    }

    private boolean call(int dice) throws Exception {
        int rest = dice - CHANGES_OF_1000;
        if (rest < 0) {
            return changes.change(ChaosMember.drawKey(random));
        }
        if (rest < FUTURES_OF_1000) {
            return getAsync(1 + random.nextInt(MOST_FUTURES));
        }
        rest -= FUTURES_OF_1000;
        if (rest < MANY_OF_1000) {
            return getAll(random.nextBoolean() ? Kind.GET_ALL : Kind.GET_ALL_ASYNC, 2 + random.nextInt(MOST_KEYS - 1));
        }
        rest -= MANY_OF_1000;
        int key = ChaosMember.drawKey(random);
        if (rest < BY_HAND_OF_1000) {
            return get(key, this::getByHand);
        }
        Duration maxWait = Duration.ofMillis(random.nextInt(MOST_WAIT_MILLIS));
        return rest < BY_HAND_OF_1000 + PATIENT_OF_1000
                ? get(key, (cache, each) -> cache.get(each, origin, maxWait))
                : get(key, StampedeGuardedCache::get);
    }

    /** A form of get. */
    private interface Get {
        String from(StampedeGuardedCache<Long, String> cache, Long key) throws SQLException;
    }

    private boolean get(int key, Get form) {
        Open open = history.begin(Kind.GET, key);
        listener.begin();
        long unanswered = listener.unanswered();
        try {
            String value = form.from(cacheOf(key), (long) key);
            return history.end(open, listener.answer(1, unanswered), value);
        } catch (CacheException | SQLException promised) {
            return history.threw(open);
        }
    }

    /** What the caller reads at the origin itself is as new as a load. */
    private String getByHand(StampedeGuardedCache<Long, String> cache, Long key) throws SQLException {
        LookupResult<String> found = cache.lookup(key);
        if (found.state() != LookupResult.State.NOTHING) {
            return found.value();
        }
        LoadedValue<String> read = origin.load(key, null);
        cache.put(key, read, found.fence());
        listener.onRead(cache.name(), AnswerSource.LOADED);
        return read.value();
    }

    private boolean getAsync(int count) throws InterruptedException, ExecutionException, TimeoutException {
        List<Open> open = new ArrayList<>();
        List<CompletableFuture<Answer<String>>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int key = ChaosMember.drawKey(random);
            open.add(history.begin(Kind.GET_ASYNC, key));
            listener.begin();
            long unanswered = listener.unanswered();
            futures.add(cacheOf(key)
                    .getAsync((long) key)
                    .handle((value, failure) -> new Answer<>(value, failure, listener.answer(1, unanswered))));
        }
        boolean all = true;
        for (int i = 0; i < count; i++) {
            Answer<String> answer = promised(futures.get(i).get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS));
            all &= answer.failure() == null
                    ? history.end(open.get(i), answer.ending(), answer.value())
                    : history.threw(open.get(i));
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
        int first = ChaosMember.withoutTag(ChaosMember.drawKey(random));
        List<Long> keys = random.ints(count, 0, ChaosMember.KEYS)
                .map(ChaosMember::withoutTag)
                .filter(key -> cacheOf(key) == cacheOf(first) && key != first)
                .distinct()
                .mapToObj(Long::valueOf)
                .collect(Collectors.toCollection(ArrayList::new));
        keys.add((long) first);
        List<Open> open =
                keys.stream().map(key -> history.begin(kind, key.intValue())).toList();
        listener.begin();
        Answer<Map<Long, String>> answer =
                kind == Kind.GET_ALL ? readAll(cacheOf(first), keys) : readAllAsync(cacheOf(first), keys);
        Map<Long, String> values = answer.failure() instanceof BulkLoadException incomplete
                ? valuesOf(incomplete)
                : answer.failure() == null ? answer.value() : Map.of();
        for (Open each : open) {
            String value = values.get((long) each.key());
            if (value == null && answer.failure() != null) {
                history.threw(each);
            } else {
                history.end(each, answer.ending(), value);
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

    private StampedeGuardedCache<Long, String> cacheOf(int key) {
        return ChaosMember.cacheOf(caches, key);
    }
}
