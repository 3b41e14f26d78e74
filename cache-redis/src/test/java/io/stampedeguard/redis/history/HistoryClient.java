package io.stampedeguard.redis.history;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.history.CommonGround.Changes;
import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * One thread that reads and changes rows at random, one call after the other, and records each of them. Most calls are
 * reads; a change is a write to the origin and then an invalidation, after which the caller often reads at once,
 * because an old value still in transit would reach it there.
 */
final class HistoryClient {
    private static final int READS_OF_1000 = 930;
    private static final int CHANGES_OF_1000 = 50;
    private static final int INVALIDATIONS_OF_1000 = 10;
    private static final int CHANGES_OF_QUIET_OF_1000 = 12;
    private static final int INVALIDATIONS_FOR_ONE_OF_ALL = 40;
    private static final int INVALIDATIONS_FOR_ONE_OF_SOME = 20;
    private static final int INVALIDATIONS_FOR_ONE_OF_A_TAG = 8;
    private static final int CHANGES_FOR_ONE_IF_EACH_IS_OF_ALL = 5;
    private static final int LONGEST_REST_MILLIS = 3;
    private static final int BY_HAND_ONE_OF = 4;

    private final CommonGround ground;
    private final HistoryFile history;
    private final List<StampedeGuardedCache<String, String>> caches;
    private final OriginLoader loader;
    private final MemberListener listener;
    private final SplittableRandom random;
    private final boolean near;
    private final Trouble trouble;

    /** Whether Redis has answered the last get: a change that is queued would remove first of all what Redis had lost. */
    private boolean isAnswered;

    HistoryClient(HistoryMember member, HistoryFile history, SplittableRandom random) {
        this.ground = member.ground();
        this.caches = member.caches();
        this.loader = member.loader();
        this.near = member.near();
        this.trouble = member.trouble();
        this.listener = member.listener();
        this.history = history;
        this.random = random;
    }

    void callUntil(BooleanSupplier over) throws InterruptedException {
        while (!over.getAsBoolean()) {
            if (near && random.nextBoolean()) {
                callOfQuiet(HistoryMember.KEYS + random.nextInt(HistoryMember.QUIET_KEYS));
            } else {
                callOfLively(random.nextInt(random.nextBoolean() ? HistoryMember.HOT_KEYS : HistoryMember.KEYS));
            }
        }
    }

    private void callOfLively(int key) throws InterruptedException {
        int dice = random.nextInt(1_000);
        boolean isLeftOut = trouble.losesChanges()
                && (!isAnswered || random.nextInt(CHANGES_FOR_ONE_IF_EACH_IS_OF_ALL) > 0 || isForbidden(key));
        if (dice < READS_OF_1000 || isLeftOut) {
            get(key);
        } else if (dice < READS_OF_1000 + CHANGES_OF_1000) {
            change(key);
        } else if (dice < READS_OF_1000 + CHANGES_OF_1000 + INVALIDATIONS_OF_1000) {
            invalidate(key);
        } else {
            expire(key);
        }
    }

    /** Changed so rarely that a missed change is not followed by another one within the bound of near caches. */
    private void callOfQuiet(int key) throws InterruptedException {
        if (random.nextInt(1_000) < CHANGES_OF_QUIET_OF_1000) {
            change(key);
        } else {
            get(key);
        }
    }

    private void change(int key) throws InterruptedException {
        if (random.nextBoolean()) {
            get(key); // a waiting caller is woken by the publication, and changes the row right after it
        }
        long written = call(Kind.WRITE, List.of(key), 0, () -> ground.write(key));
        if (random.nextInt(4) == 0) {
            Thread.sleep(random.nextInt(3)); // others load the new row before the old one is invalidated
        }
        if (trouble == Trouble.LATE_PUTS && random.nextBoolean()) {
            call(Kind.PUT, List.of(key), written, () -> put(key, written));
        } else {
            invalidate(key);
        }
        if (random.nextBoolean()) {
            get(key);
        }
    }

    private void get(int key) throws InterruptedException {
        listener.begin();
        loader.begin();
        boolean byHand = random.nextInt(BY_HAND_ONE_OF) == 0;
        call(
                Kind.GET,
                List.of(key),
                0,
                () -> Long.parseLong(byHand ? getByHand(key) : cacheOf(key).get(nameOf(key), loader)));
        isAnswered = listener.answer() == Ending.RETURNED;
        if (listener.answer() == Ending.NEAR) {
            // Otherwise the history would contain these gets only, which are a thousand times as fast as others.
            Thread.sleep(random.nextInt(LONGEST_REST_MILLIS + 1));
        }
    }

    /** A look-up, and, if it finds nothing, a read of the origin and a put bound to the look-up: promised as much as a get. */
    private String getByHand(int key) {
        LookupResult<String> found = cacheOf(key).lookup(nameOf(key));
        if (found.state() == LookupResult.State.VALUE) {
            return requireNonNull(found.value());
        }
        try {
            LoadedValue<String> read = loader.loadNow(key);
            if (cacheOf(key).put(nameOf(key), read, found.fence())) {
                ground.count(Count.BY_HAND);
            }
            return requireNonNull(read.value());
        } catch (IOException | InterruptedException e) {
            throw new LoadException("could not read the origin by hand", e);
        }
    }

    private long put(int key, long version) {
        cacheOf(key).put(nameOf(key), HistoryMember.tagged(key, version));
        return version;
    }

    /** Invalidates a key, or now and then some, all, or those with its tag of its cache, which promises the same for each of them. */
    private void invalidate(int key) {
        StampedeGuardedCache<String, String> cache = cacheOf(key);
        Optional<String> tag = HistoryMember.tagOf(key);
        if (tag.isPresent() && (trouble.losesChanges() ? isOfTag() : isOnceIn(INVALIDATIONS_FOR_ONE_OF_A_TAG, key))) {
            change(Kind.INVALIDATION, keysOf(cache, tag), () -> cache.invalidateTag(tag.get()));
            ground.count(Count.OF_TAG);
        } else if (trouble.losesChanges() || isOnceIn(INVALIDATIONS_FOR_ONE_OF_ALL, key)) {
            change(Kind.INVALIDATION, keysOf(cache), cache::invalidateAll);
            ground.count(Count.OF_ALL);
        } else if (isOnceIn(INVALIDATIONS_FOR_ONE_OF_SOME, key)) {
            List<Integer> some = keysOf(cache).stream()
                    .filter(other -> other == key || random.nextBoolean())
                    .toList();
            List<String> names = some.stream().map(HistoryClient::nameOf).toList();
            change(Kind.INVALIDATION, some, () -> cache.invalidateAll(names));
        } else {
            change(Kind.INVALIDATION, List.of(key), () -> cache.invalidate(nameOf(key)));
        }
    }

    private boolean isForbidden(int key) {
        Changes permitted = ground.permitted();
        return permitted == Changes.NONE
                || (permitted == Changes.ONLY_OF_TAGS
                        && HistoryMember.tagOf(key).isEmpty());
    }

    private boolean isOfTag() {
        Changes permitted = ground.permitted();
        return permitted == Changes.ONLY_OF_TAGS || (permitted != Changes.ONLY_OF_ALL_ENTRIES && random.nextBoolean());
    }

    private void expire(int key) {
        StampedeGuardedCache<String, String> cache = cacheOf(key);
        Optional<String> tag = HistoryMember.tagOf(key);
        if (isOnceIn(INVALIDATIONS_FOR_ONE_OF_ALL, key)) {
            change(Kind.EXPIRY, keysOf(cache), cache::expireAll);
        } else if (tag.isPresent() && isOnceIn(INVALIDATIONS_FOR_ONE_OF_A_TAG, key)) {
            change(Kind.EXPIRY, keysOf(cache, tag), () -> cache.expireTag(tag.get()));
        } else {
            change(Kind.EXPIRY, List.of(key), () -> cache.expire(nameOf(key)));
        }
    }

    /** Draws; never true for a cache with quiet keys, in which a missed change is to stay missed. */
    private boolean isOnceIn(int many, int key) {
        return random.nextInt(many) == 0 && !(near && cacheOf(key) == caches.get(0));
    }

    private List<Integer> keysOf(StampedeGuardedCache<String, String> cache) {
        return IntStream.range(0, near ? HistoryMember.ALL_KEYS : HistoryMember.KEYS)
                .filter(key -> cacheOf(key) == cache)
                .boxed()
                .toList();
    }

    private List<Integer> keysOf(StampedeGuardedCache<String, String> cache, Optional<String> tag) {
        return keysOf(cache).stream()
                .filter(key -> HistoryMember.tagOf(key).equals(tag))
                .toList();
    }

    private void change(Kind kind, List<Integer> keys, Runnable change) {
        call(kind, keys, 0, () -> {
            change.run();
            return 0;
        });
    }

    /** Makes a call for some keys, whose version may be known before; returns its version. */
    private long call(Kind kind, List<Integer> keys, long known, LongSupplier call) {
        Ending ending = Ending.THREW;
        long version = known;
        long begin = ground.nextPlace();
        int[] open = keys.stream()
                .mapToInt(key -> history.begin(kind, key, begin, known))
                .toArray();
        try {
            version = call.getAsLong();
            ending = kind == Kind.GET ? endingOfGet() : Ending.RETURNED;
            count(ending);
        } catch (StoreException queued) {
            ending = kind == Kind.INVALIDATION ? Ending.WITHOUT_STORE : Ending.THREW;
        } catch (CacheException e) {
            // The history contains it.
        } finally {
            long end = ground.nextPlace();
            for (int i = 0; i < open.length; i++) {
                history.end(open[i], kind, ending, keys.get(i), end, version);
            }
        }
        return version;
    }

    private Ending endingOfGet() {
        return loader.hasReadASnapshot() ? Ending.BY_ITS_OWN_SNAPSHOT : listener.answer();
    }

    private void count(Ending ending) {
        if (ending != Ending.WITHOUT_STORE) {
            ground.count(Count.OPERATIONS);
        }
        if (ending == Ending.NEAR) {
            ground.count(Count.NEAR);
        }
    }

    private StampedeGuardedCache<String, String> cacheOf(int key) {
        return caches.get(HistoryMember.cacheOf(key));
    }

    private static String nameOf(int key) {
        return Integer.toString(key);
    }
}
