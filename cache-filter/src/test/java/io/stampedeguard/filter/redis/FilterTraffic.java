package io.stampedeguard.filter.redis;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.fleet.Message;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One thread of a process that creates rows, announces them, and looks up those of all processes, at random. A lookup
 * that fails counts as "maybe"; a row whose announcement fails need not be found by any process yet. For one thread.
 */
final class FilterTraffic implements Callable<FilterTraffic.Found> {
    private static final int FEW = 20;
    private static final long REST_NANOS = 5_000_000;

    private final RedisKeyFilter<Long> filter;
    private final FilterRows rows;
    private final SplittableRandom random;
    private final long operations;
    private final BooleanSupplier ended;
    private long looks;
    private long unanswered;
    private long absent;
    private String missed = "";

    /**
     * Creates the task.
     *
     * @param operations the minimal number of operations
     * @param ended returns whether it is to stop
     */
    FilterTraffic(
            RedisKeyFilter<Long> filter,
            FilterRows rows,
            SplittableRandom random,
            long operations,
            BooleanSupplier ended) {
        this.filter = filter;
        this.rows = rows;
        this.random = random;
        this.operations = operations;
        this.ended = ended;
    }

    /**
     * The results.
     *
     * @param looks how many announced rows were looked up
     * @param unanswered how many calls failed
     * @param absent how many nonexistent keys were declared absent
     * @param missed the announced rows that were declared absent
     */
    record Found(long looks, long unanswered, long absent, String missed) {
        Message tell() {
            return Message.of("done")
                    .with("looks", looks)
                    .with("unanswered", unanswered)
                    .with("absent", absent)
                    .with("missed", missed);
        }

        Found and(Found other) {
            return new Found(
                    looks + other.looks, unanswered + other.unanswered, absent + other.absent, missed + other.missed);
        }
    }

    @Override
    public Found call() {
        for (long i = 0; i < operations || !ended.getAsBoolean(); i++) {
            if (i >= operations) {
                rest();
            }
            int kind = random.nextInt(10);
            if (kind < 4) {
                make();
            } else if (kind < 7) {
                lookAtOne();
            } else if (kind < 9) {
                lookAtMany();
            } else {
                lookAtNonexistent();
            }
        }
        return new Found(looks, unanswered, absent, missed);
    }

    /** However long it runs, the filter gets no more rows than it was designed for. */
    private static void rest() {
        LockSupport.parkNanos(REST_NANOS);
    }

    private void make() {
        long row = random.nextLong(Long.MAX_VALUE);
        rows.insert(row);
        try {
            filter.add(row);
        } catch (StoreException perhapsNotAnnounced) {
            unanswered++;
            return;
        }
        rows.announced(row);
    }

    /** The last row of any process, usually of another one. */
    private void lookAtOne() {
        for (long row : rows.announced(-1, 1)) {
            looks++;
            try {
                if (!filter.mightContain(row)) {
                    missed += row + " ";
                }
            } catch (StoreException maybe) {
                unanswered++;
            }
        }
    }

    private void lookAtMany() {
        List<Long> asked = rows.announced(random.nextLong(Math.max(1, rows.count())), FEW);
        looks += asked.size();
        try {
            filter.definitelyAbsent(asked).forEach(row -> missed += row + " ");
        } catch (StoreException maybe) {
            unanswered++;
        }
    }

    private void lookAtNonexistent() {
        try {
            absent += filter.mightContain(-1 - random.nextLong(Long.MAX_VALUE)) ? 0 : 1;
        } catch (StoreException maybe) {
            unanswered++;
        }
    }
}
