package io.stampedeguard.redis.history;

import io.stampedeguard.loader.AdaptiveLoader;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.redis.history.CommonGround.Count;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a row and then delays its return, so that late writers are common; now and then for longer than a lease lives,
 * and now and then it fails. If its caches remember changes, it also reads rows in a snapshot of all of them that was taken some loads
 * before, and states as of when. <em>Thread-safe.</em>
 */
final class OriginLoader implements AdaptiveLoader<String, String> {
    private static final int LONGEST_MILLIS = 20;
    private static final int FAILURES_OF_1000 = 3;
    private static final int SLOW_ONES_OF_1000 = 3;
    private static final int SNAPSHOTS_ONE_OF = 4;
    private static final int LOADS_OF_A_SNAPSHOT = 2;

    private final CommonGround ground;
    private final Random random;
    private final long slowMillis;
    private final boolean hasSnapshots;
    private final ThreadLocal<Boolean> readASnapshot = ThreadLocal.withInitial(() -> false);
    private volatile Snapshot snapshot;

    OriginLoader(CommonGround ground, Duration lease, long seed, boolean hasSnapshots) {
        this.ground = ground;
        this.random = new Random(seed);
        this.slowMillis = lease.toMillis() * 3 / 2;
        this.hasSnapshots = hasSnapshots;
        this.snapshot = Snapshot.of(ground);
    }

    /** All rows, as of a time before they were read. */
    private record Snapshot(Instant begin, long[] rows) {
        static Snapshot of(CommonGround ground) {
            Instant begin = Instant.now();
            return new Snapshot(
                    begin,
                    LongStream.range(0, HistoryMember.ALL_KEYS)
                            .map(key -> ground.read((int) key))
                            .toArray());
        }
    }

    @Override
    public LoadedValue<String> load(String key, @Nullable PreviousValue<String> previous)
            throws IOException, InterruptedException {
        int row = Integer.parseInt(key);
        return hasSnapshots && HistoryMember.isOfRememberedChanges(row) && random.nextInt(SNAPSHOTS_ONE_OF) == 0
                ? loadFromSnapshot(row)
                : loadNow(row);
    }

    /** Reads a row as it is now. */
    LoadedValue<String> loadNow(int row) throws IOException, InterruptedException {
        return returned(row, ground.read(row));
    }

    private LoadedValue<String> loadFromSnapshot(int row) throws IOException, InterruptedException {
        Snapshot old = snapshot;
        if (random.nextInt(LOADS_OF_A_SNAPSHOT) == 0) {
            snapshot = Snapshot.of(ground);
        }
        readASnapshot.set(true);
        if (old.rows[row] < ground.read(row)) {
            ground.count(Count.OUTDATED);
        }
        return returned(row, old.rows[row]).asOf(old.begin);
    }

    private LoadedValue<String> returned(int row, long version) throws IOException, InterruptedException {
        int dice = random.nextInt(1_000);
        if (dice < FAILURES_OF_1000) {
            ground.count(Count.FAILED);
            throw new IOException("the origin does not answer");
        }
        boolean slow = dice < FAILURES_OF_1000 + SLOW_ONES_OF_1000;
        Thread.sleep(slow ? slowMillis : random.nextInt(LONGEST_MILLIS + 1));
        return HistoryMember.tagged(row, version);
    }

    /** Another call begins on this thread. */
    void begin() {
        readASnapshot.set(false);
    }

    /** Returns whether the call of this thread has read a snapshot itself, which is owed nothing. */
    boolean hasReadASnapshot() {
        return readASnapshot.get();
    }
}
