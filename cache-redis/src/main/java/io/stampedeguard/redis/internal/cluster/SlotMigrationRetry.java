package io.stampedeguard.redis.internal.cluster;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The wait for a slot that is being moved from one member of a cluster to another. A script needs value and lease, of which
 * usually only one exists. During the move, neither member runs it, and both answer {@code TRYAGAIN}. Moving a slot takes
 * milliseconds, unless it has very many keys. For one call of one thread.
 */
public final class SlotMigrationRetry {
    public static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

    private final TimeSource time;
    private long leftNanos = LONGEST_NANOS;
    private long pauseNanos = FIRST_PAUSE_NANOS;

    public SlotMigrationRetry(TimeSource time) {
        this.time = time;
    }

    /** Waits before a retry, and returns whether to retry: not after a different answer, and not if the thread is interrupted. */
    public boolean pauseBeforeRetry(RuntimeException failure) {
        if (!isTryAgain(failure) || leftNanos <= 0) {
            return false;
        }
        leftNanos -= pauseNanos;
        return pause();
    }

    /** Returns whether a failure was such an answer. */
    public static boolean isTryAgain(@Nullable RuntimeException failure) {
        return failure instanceof JedisDataException
                && String.valueOf(failure.getMessage()).startsWith("TRYAGAIN");
    }

    private boolean pause() {
        try {
            time.await(new CountDownLatch(1), pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
