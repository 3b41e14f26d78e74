package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.product.ProductLoad;
import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A process' access to the database: each query is counted, and takes as long as the page has set. <em>Thread-safe.</em> */
final class SlowableOrigin implements ProductLoad {
    /** The origin's own log is not read here, and must not grow for hours. */
    private static final int LONGEST_LOG = 1_000;

    private final Origin origin;
    private final Counts counts;
    private final Runnable loadsHot;
    private final AtomicInteger logged = new AtomicInteger();
    private volatile Duration work = Duration.ZERO;

    /** {@code loadsHot} is called when a load of the hot key begins. */
    SlowableOrigin(Origin origin, Counts counts, Runnable loadsHot) {
        this.origin = origin;
        this.counts = counts;
        this.loadsHot = loadsHot;
    }

    void takeFromNowOn(long workMillis) {
        work = Duration.ofMillis(workMillis);
    }

    @Override
    public @Nullable String load(long key) {
        counts.add(Count.QUERIES);
        if (key == Load.HOT) {
            counts.add(Count.HOT_QUERIES);
            loadsHot.run();
        } else if (Load.isNonexistent(key)) {
            counts.add(Count.NONEXISTENT_QUERIES);
        }
        if (logged.incrementAndGet() % LONGEST_LOG == 0) {
            origin.startLog();
        }
        return origin.load(ProductRead.SALES, Math.toIntExact(key), work);
    }
}
