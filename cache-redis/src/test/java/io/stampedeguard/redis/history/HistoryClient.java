package io.stampedeguard.redis.history;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.history.CommonGround.Count;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

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
    private static final int LONGEST_REST_MILLIS = 3;
    private static final int BY_HAND_ONE_OF = 4;

    private final CommonGround ground;
    private final HistoryFile history;
    private final List<StampedeGuardedCache<String, String>> caches;
    private final OriginLoader loader;
    private final MemberListener listener;
    private final SplittableRandom random;
    private final boolean near;
    private final boolean puts;

    HistoryClient(HistoryMember member, HistoryFile history, SplittableRandom random) {
        this.ground = member.ground();
        this.caches = member.caches();
        this.loader = member.loader();
        this.near = member.near();
        this.puts = member.puts();
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
        if (dice < READS_OF_1000) {
            get(key);
        } else if (dice < READS_OF_1000 + CHANGES_OF_1000) {
            change(key);
        } else if (dice < READS_OF_1000 + CHANGES_OF_1000 + INVALIDATIONS_OF_1000) {
            call(Kind.INVALIDATION, key, 0, () -> invalidate(key));
        } else {
            call(Kind.EXPIRY, key, 0, () -> expire(key));
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
        long written = call(Kind.WRITE, key, 0, () -> ground.write(key));
        if (random.nextInt(4) == 0) {
            Thread.sleep(random.nextInt(3)); // others load the new row before the old one is invalidated
        }
        if (puts && random.nextBoolean()) {
            call(Kind.PUT, key, written, () -> put(key, written));
        } else {
            call(Kind.INVALIDATION, key, 0, () -> invalidate(key));
        }
        if (random.nextBoolean()) {
            get(key);
        }
    }

    private void get(int key) throws InterruptedException {
        listener.begin();
        boolean byHand = random.nextInt(BY_HAND_ONE_OF) == 0;
        call(
                Kind.GET,
                key,
                0,
                () -> Long.parseLong(byHand ? getByHand(key) : cacheOf(key).get(nameOf(key), loader)));
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
            String read = loader.load(nameOf(key));
            if (cacheOf(key).put(nameOf(key), read, found.fence())) {
                ground.count(Count.BY_HAND);
            }
            return read;
        } catch (IOException | InterruptedException e) {
            throw new LoadException("could not read the origin by hand", e);
        }
    }

    private long put(int key, long version) {
        cacheOf(key).put(nameOf(key), Long.toString(version));
        return version;
    }

    /** Invalidates a key, or now and then all, which promises the same for the key. */
    private long invalidate(int key) {
        if (random.nextInt(INVALIDATIONS_FOR_ONE_OF_ALL) == 0) {
            cacheOf(key).invalidateAll();
        } else {
            cacheOf(key).invalidate(nameOf(key));
        }
        return 0;
    }

    private long expire(int key) {
        cacheOf(key).expire(nameOf(key));
        return 0;
    }

    /** Makes a call, whose version may be known before; returns its version. */
    private long call(Kind kind, int key, long known, LongSupplier call) {
        Ending ending = Ending.THREW;
        long version = known;
        int open = history.begin(kind, key, ground.nextPlace(), known);
        try {
            version = call.getAsLong();
            ending = kind == Kind.GET ? listener.answer() : Ending.RETURNED;
            count(ending);
        } catch (CacheException | StoreException e) {
            // The history contains it.
        } finally {
            history.end(open, kind, ending, key, ground.nextPlace(), version);
        }
        return version;
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
        return caches.get(key < HistoryMember.KEYS ? key % caches.size() : 0);
    }

    private static String nameOf(int key) {
        return Integer.toString(key);
    }
}
