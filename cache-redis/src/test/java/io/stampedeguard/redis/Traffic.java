package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/**
 * Readers and writers on some members of a fleet, which record each wrong answer: an exception, a value of another key,
 * a version that the origin has not had yet, or, where no write can have been lost, one that was replaced before the
 * reader began.
 */
final class Traffic implements AutoCloseable {
    private static final int READERS = 8;
    private static final int WRITERS = 2;

    private final long seed = System.nanoTime();
    private final List<TrafficMember> members;
    private final VersionedRows rows;
    private final IntPredicate mayLoseWrites;
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong invalidations = new AtomicLong();
    private final AtomicLong untold = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Callers threads = new Callers();
    private final List<Callers.Call<Boolean>> calls = new ArrayList<>();

    /**
     * Begins.
     *
     * @param mayLoseWrites returns for a key's number whether a failover may have lost writes to it
     */
    Traffic(List<TrafficMember> members, VersionedRows rows, IntPredicate mayLoseWrites) {
        this.members = members;
        this.rows = rows;
        this.mayLoseWrites = mayLoseWrites;
        for (int i = 0; i < READERS; i++) {
            Random random = new Random(seed + i);
            calls.add(threads.call(() -> untilOver(() -> read(random.nextInt(rows.size()), random))));
        }
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Random random = new Random(seed - 1 - i);
            calls.add(threads.call(() ->
                    untilOver(() -> write(random.nextInt(rows.size() / WRITERS) * WRITERS + writer, random))));
        }
    }

    private boolean untilOver(Runnable step) {
        while (!over.get() && wrong.isEmpty()) {
            step.run();
        }
        return true;
    }

    private void read(int row, Random random) {
        TrafficMember member = members.get(random.nextInt(members.size()));
        long floor = rows.floor(row);
        String answer;
        try {
            answer = member.get(row, rows);
        } catch (RuntimeException e) {
            wrong.add("get of " + VersionedRows.name(row) + " threw " + e + ", caused by " + e.getCause());
            return;
        }
        boolean strict = !mayLoseWrites.test(row) && !member.wasUnavailable();
        String fault = rows.faultOf(row, answer, strict ? floor : 0);
        if (fault != null) {
            wrong.add(fault);
        }
        reads.incrementAndGet();
    }

    /** Each row has one writer, which thus knows what it has replaced. */
    private void write(int row, Random random) {
        long version = rows.write(row);
        StampedeGuardedCache<String, String> cache =
                members.get(random.nextInt(members.size())).cache();
        try {
            cache.invalidate(VersionedRows.name(row));
            rows.raiseFloor(row, version);
            invalidations.incrementAndGet();
        } catch (StoreException toldSo) {
            untold.incrementAndGet();
        }
    }

    /** Waits until there was much more traffic. */
    void awaitMore() {
        long enough = reads.get() + 1_000;
        long enoughWrites = invalidations.get() + 100;
        Fleet.until(() -> !wrong.isEmpty() || reads.get() > enough && invalidations.get() > enoughWrites);
        assertNothingWrong();
    }

    /** Ends it; fails if any answer was wrong. */
    void end() throws Exception {
        over.set(true);
        for (Callers.Call<Boolean> call : calls) {
            call.result();
        }
        assertNothingWrong();
    }

    private void assertNothingWrong() {
        assertThat(wrong).as(this::toString).isEmpty();
    }

    @Override
    public void close() {
        over.set(true);
        threads.close();
    }

    @Override
    public String toString() {
        return "seed " + seed + ", " + reads + " reads, " + invalidations + " invalidations, " + untold + " failed";
    }
}
