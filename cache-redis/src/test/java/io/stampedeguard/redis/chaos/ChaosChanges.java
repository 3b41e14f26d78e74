package io.stampedeguard.redis.chaos;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.chaos.ChaosHistory.Open;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The changes of one caller: each writes a row of the database, or a few, and then invalidates, expires, or stores what the cache has for
 * them, for some or all keys, or for those with a tag. Now and then it also refreshes the row. <em>Not thread-safe.</em>
 */
final class ChaosChanges {
    private static final int SOME = 3;
    private static final long HANGS_AFTER_SECONDS = 60;

    private final ChaosHistory history;
    private final ChaosOrigin origin;
    private final List<StampedeGuardedCache<Long, String>> caches;
    private final SplittableRandom random;

    ChaosChanges(ChaosMember member, ChaosHistory history, SplittableRandom random) {
        this.history = history;
        this.origin = member.origin();
        this.caches = member.caches();
        this.random = random;
    }

    /** What is done with keys after their rows were written. */
    private enum Way {
        INVALIDATE(Kind.INVALIDATION, 31),
        INVALIDATE_ASYNC(Kind.INVALIDATION, 15),
        INVALIDATE_SOME(Kind.INVALIDATION, 10),
        INVALIDATE_ALL(Kind.INVALIDATION, 3),
        INVALIDATE_ALL_ASYNC(Kind.INVALIDATION, 2),
        INVALIDATE_TAG(Kind.INVALIDATION, 4),
        INVALIDATE_TAG_ASYNC(Kind.INVALIDATION, 3),
        PUT(Kind.PUT, 8),
        PUT_ASYNC(Kind.PUT, 5),
        PUT_ALL(Kind.PUT, 5),
        EXPIRE(Kind.EXPIRY, 5),
        EXPIRE_ASYNC(Kind.EXPIRY, 4),
        EXPIRE_ALL(Kind.EXPIRY, 3),
        EXPIRE_TAG(Kind.EXPIRY, 2);

        private final Kind kind;
        private final int ofHundred;

        Way(Kind kind, int ofHundred) {
            this.kind = kind;
            this.ofHundred = ofHundred;
        }

        static Way drawn(SplittableRandom random) {
            int dice = random.nextInt(100);
            for (Way way : values()) {
                dice -= way.ofHundred;
                if (dice < 0) {
                    return way;
                }
            }
            throw new IllegalStateException("they are not a hundred");
        }

        boolean isOfSome() {
            return this == INVALIDATE_SOME || this == PUT_ALL;
        }

        boolean isOfTag() {
            return this == INVALIDATE_TAG || this == INVALIDATE_TAG_ASYNC || this == EXPIRE_TAG;
        }

        /** Returns whether it stores values, and cannot give them tags. */
        boolean storesWithoutTags() {
            return this == PUT_ASYNC || this == PUT_ALL;
        }

        int keyFor(int key) {
            return isOfTag() ? ChaosMember.withTag(key) : storesWithoutTags() ? ChaosMember.withoutTag(key) : key;
        }

        boolean isOfAll() {
            return this == INVALIDATE_ALL || this == INVALIDATE_ALL_ASYNC || this == EXPIRE_ALL;
        }
    }

    boolean change(int drawn) throws Exception {
        Way way = Way.drawn(random);
        int key = way.keyFor(drawn);
        Map<Integer, Long> versions = new HashMap<>();
        for (int each : way.isOfSome() ? some(way, key) : List.of(key)) {
            Long version = write(each);
            if (version != null) {
                versions.put(each, version);
            } else if (way.kind != Kind.PUT) {
                versions.put(each, 0L); // it may have been written
            }
        }
        if (way.isOfAll()) {
            keysWith(key, other -> true).forEach(other -> versions.putIfAbsent(other, 0L));
        } else if (way.isOfTag()) {
            keysWith(key, other -> isOfTag(key, other)).forEach(other -> versions.putIfAbsent(other, 0L));
        }
        Map<Long, String> values = new HashMap<>();
        versions.forEach((each, version) -> values.put((long) each, ChaosOrigin.value(each, version)));
        if (!versions.isEmpty()) {
            change(way, versions, values);
        }
        long written = versions.getOrDefault(key, 0L);
        return written == 0 || random.nextBoolean() || refresh(key, written);
    }

    private List<Integer> some(Way way, int key) {
        return keysWith(key, other -> way.keyFor(other) == other && random.nextInt(ChaosMember.KEYS) < SOME);
    }

    private static boolean isOfTag(int key, int other) {
        return ChaosMember.withTag(other) == other && ChaosMember.tagOf(other).equals(ChaosMember.tagOf(key));
    }

    private Long write(int key) {
        Open write = history.begin(Kind.WRITE, key);
        try {
            long version = origin.write(key);
            history.end(write, Ending.RETURNED, version);
            return version;
        } catch (SQLException e) {
            history.threw(write);
            return null;
        }
    }

    private void change(Way way, Map<Integer, Long> versions, Map<Long, String> values) throws Exception {
        List<Open> open = history.begin(way.kind, versions);
        Ending ending = Ending.RETURNED;
        try {
            callOf(way, values).call();
        } catch (StoreException queued) {
            ending = way.kind == Kind.INVALIDATION ? Ending.WITHOUT_STORE : Ending.THREW;
        } catch (CacheException notBegun) {
            ending = Ending.THREW;
        } finally {
            history.end(open, ending, versions);
        }
    }

    private Callable<?> callOf(Way way, Map<Long, String> values) {
        Long key = values.keySet().iterator().next();
        StampedeGuardedCache<Long, String> cache = ChaosMember.cacheOf(caches, key.intValue());
        return switch (way) {
            case INVALIDATE -> called(() -> cache.invalidate(key));
            case INVALIDATE_ASYNC -> () -> answerOf(cache.invalidateAsync(key));
            case INVALIDATE_SOME -> called(() -> cache.invalidateAll(values.keySet()));
            case INVALIDATE_ALL -> called(cache::invalidateAll);
            case INVALIDATE_ALL_ASYNC -> () -> answerOf(cache.invalidateAllAsync());
            case INVALIDATE_TAG -> called(() -> cache.invalidateTag(ChaosMember.tagOf(key)));
            case INVALIDATE_TAG_ASYNC -> () -> answerOf(cache.invalidateTagAsync(ChaosMember.tagOf(key)));
            case PUT -> called(() -> cache.put(key, ChaosMember.tagged(key, values.get(key))));
            case PUT_ASYNC -> () -> answerOf(cache.putAsync(key, values.get(key)));
            case PUT_ALL -> called(() -> cache.putAll(values));
            case EXPIRE -> called(() -> cache.expire(key));
            case EXPIRE_ASYNC -> () -> answerOf(cache.expireAsync(key));
            case EXPIRE_ALL -> called(cache::expireAll);
            case EXPIRE_TAG -> called(() -> cache.expireTag(ChaosMember.tagOf(key)));
        };
    }

    private static Callable<?> called(Runnable change) {
        return () -> {
            change.run();
            return "";
        };
    }

    private static <T> T answerOf(Future<T> future) throws InterruptedException, TimeoutException {
        try {
            return future.get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException queued) {
                throw queued;
            }
            if (e.getCause() instanceof CacheException promised) {
                throw promised;
            }
            throw new IllegalStateException("not promised", e.getCause());
        }
    }

    /** Its answer is of a load that began after the call: whoever else changed the row, and whoever has heard of it. */
    private boolean refresh(int key, long written) throws InterruptedException, TimeoutException {
        try {
            String value = answerOf(ChaosMember.cacheOf(caches, key).refresh((long) key));
            if (ChaosOrigin.versionIn(value, key) < written) {
                throw new IllegalStateException(
                        "refresh of " + key + " after version " + written + " was written answered " + value);
            }
            return true;
        } catch (CacheException promised) {
            return false;
        }
    }

    /** Returns a key, and the others of its cache that are to be with it. */
    private List<Integer> keysWith(int key, IntPredicate isWithIt) {
        return IntStream.range(0, ChaosMember.KEYS)
                .filter(other -> ChaosMember.cacheOf(caches, other) == ChaosMember.cacheOf(caches, key))
                .filter(other -> other == key || isWithIt.test(other))
                .boxed()
                .toList();
    }
}
