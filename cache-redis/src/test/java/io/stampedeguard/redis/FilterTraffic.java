package io.stampedeguard.redis;

import io.stampedeguard.store.StoreException;
import io.stampedeguard.testbed.fleet.Message;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One thread of a process that makes rows, announces them, and looks up those of all processes, at random. What the filter
 * fails to answer is a "maybe"; a row whose announcement fails is not to be found by anybody yet. For one thread.
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
     * Makes what is to be called.
     *
     * @param operations how many at least
     * @param ended tells when it is enough
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
     * What came of it.
     *
     * @param looks how many rows that had been announced were looked up
     * @param unanswered how many calls failed
     * @param absent how many made-up keys were called absent
     * @param missed the announced rows that were called absent
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
                lookAtMadeUp();
            }
        }
        return new Found(looks, unanswered, absent, missed);
    }

    /** However long it goes on, the filter gets no more rows than it was made for. */
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

    /** The last row of anybody, most of the time not its own. */
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

    private void lookAtMadeUp() {
        try {
            absent += filter.mightContain(-1 - random.nextLong(Long.MAX_VALUE)) ? 0 : 1;
        } catch (StoreException maybe) {
            unanswered++;
        }
    }
}
