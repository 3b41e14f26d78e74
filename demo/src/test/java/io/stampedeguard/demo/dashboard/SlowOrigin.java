package io.stampedeguard.demo.dashboard;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The origin of the loaders, with everything that can go wrong there: it takes a while, longer on request, fails for
 * some keys, has nothing for others, and for one key it ignores interrupts. <em>Thread-safe.</em>
 */
final class SlowOrigin {
    /** The keys that callers request most. */
    static final long HOT = 1;
    /** Takes four seconds and ignores interrupts. */
    static final long UNINTERRUPTIBLE = 900;
    /** Always fails. */
    static final long FAILING = 901;
    /** The key filter contains it, the origin does not. */
    static final long DELETED = 902;

    static final Duration USUAL = Duration.ofMillis(20);

    private static final long UNINTERRUPTIBLE_NANOS = Duration.ofSeconds(4).toNanos();
    private static final int PAYLOAD = 200;

    private volatile Duration time = USUAL;

    void takes(Duration each) {
        time = each;
    }

    @Nullable
    String load(long key) throws Exception {
        if (key == UNINTERRUPTIBLE) {
            hearNothing();
        }
        Thread.sleep(time.toMillis());
        if (key == FAILING) {
            throw new IllegalStateException("the origin has failed for product " + key);
        }
        return key == DELETED ? null : "product " + key + " ".repeat(PAYLOAD);
    }

    private static void hearNothing() {
        boolean interrupted = false;
        long start = System.nanoTime();
        for (long left = UNINTERRUPTIBLE_NANOS; left > 0; left = UNINTERRUPTIBLE_NANOS - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
