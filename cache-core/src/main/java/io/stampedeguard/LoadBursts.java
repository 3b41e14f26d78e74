package io.stampedeguard;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds bursts among loads: many in a fraction of the time that as many take before and after, as when a cache is filled.
 *
 * <ol>
 *   <li>loads are looked at in stretches of a hundred or more, and of a shortest time or more: those of one bulk call are
 *       over at once;
 *   <li>a stretch belongs to the burst so far, which is the longer for it, unless
 *   <li>it took its loads more than four times as long as those before: then the burst has come to its end;
 *   <li>or the burst so far has become longer than a burst may be, and was more than four times slower: then it was none,
 *       but steady traffic, and another begins.
 * </ol>
 *
 * <p><em>Thread-safe</em>; one lock guards all
 * fields, for a few instructions.
 */
final class LoadBursts {
    private static final int LOADS = 100;
    private static final int FACTOR = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final long shortestNanos;
    private final Duration longest;
    private long beganNanos;
    private long loads;
    private @Nullable Burst burst;

    /**
     * Many loads, one soon after the other.
     *
     * @param length from the first to the last of them
     */
    record Burst(long loads, Duration length) {
        private Burst and(Burst next) {
            return new Burst(loads + next.loads, length.plus(next.length));
        }

        private boolean isSlowerThan(Burst other) {
            return length.toNanos() / (double) loads > FACTOR * (other.length.toNanos() / (double) other.loads);
        }
    }

    /**
     * Begins to look at loads.
     *
     * @param shortest how long a stretch is at least
     * @param longest what is as long is no burst any more
     */
    LoadBursts(Duration shortest, Duration longest, long nowNanos) {
        this.longest = longest;
        this.shortestNanos = shortest.toNanos();
        this.beganNanos = nowNanos;
    }

    /** Adds a load; tells which burst has come to its end since, as a rule none. */
    @Nullable
    Burst add(long nowNanos) {
        lock.lock();
        try {
            loads++;
            long took = nowNanos - beganNanos;
            if (loads < LOADS || took < shortestNanos) {
                return null;
            }
            Burst stretch = new Burst(loads, Duration.ofNanos(took));
            loads = 0;
            beganNanos = nowNanos;
            return endedBy(stretch);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Burst endedBy(Burst stretch) {
        Burst before = burst;
        if (before == null) {
            burst = stretch;
            return null;
        }
        boolean steady = before.length.compareTo(longest) >= 0;
        boolean ended = stretch.isSlowerThan(before);
        burst = ended || (steady && before.isSlowerThan(stretch)) ? stretch : before.and(stretch);
        return ended && !steady ? before : null;
    }
}
