package io.stampedeguard.internal.observe;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Detects bursts of loads: many in a fraction of the time that as many take before and after, as when a cache is filled.
 * <ol>
 *   <li>Loads are grouped in stretches of at least a hundred loads and at least a minimum time, because the loads of one bulk
 *       call end at the same moment. The first stretch begins with its first load, each further one at the end of the previous
 *       one.
 *   <li>If nothing was loaded for far longer than all loads of a stretch took, and far longer than the pace of batches, the
 *       stretch is cut there: the burst ended before that pause, and the next stretch begins with the load after it.
 *   <li>Otherwise a stretch extends the current burst, unless
 *   <li>its loads took more than four times as long as the previous ones: then the burst has ended;
 *   <li>or the current burst has become longer than a burst may be, and was more than four times slower: then it was steady
 *       traffic, not a burst, and another one begins.
 * </ol>
 *
 * <p><em>Thread-safe</em>; one lock guards all fields, for a few instructions.
 */
final class LoadBursts {
    private static final int LOADS = 100;
    private static final int FACTOR = 4;

    /** A pause within a burst is at most this part of the longest burst. */
    private static final int PAUSE_PART = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final long shortestNanos;
    private final long longestPauseNanos;
    private final Duration longest;
    private @Nullable Stretch stretch;
    private @Nullable Burst burst;

    /** Many loads in quick succession: their number, and the time from the first to the last of them. */
    record Burst(long loads, Duration length) {
        private Burst and(Burst next) {
            return new Burst(loads + next.loads, length.plus(next.length));
        }

        private boolean isSlowerThan(Burst other) {
            return length.toNanos() / (double) loads > FACTOR * (other.length.toNanos() / (double) other.loads);
        }
    }

    /** Consecutive loads, and the longest pause among them. */
    private static final class Stretch {
        private final long beganNanos;
        private long endedNanos;
        private long loads;
        private long pauseNanos;
        private long resumedNanos;
        private Burst beforePause = new Burst(0, Duration.ZERO);

        Stretch(long beganNanos) {
            this.beganNanos = beganNanos;
            this.endedNanos = beganNanos;
        }

        void add(long loadBeganNanos, long nowNanos) {
            long pause = loadBeganNanos - endedNanos;
            if (pause > pauseNanos) {
                pauseNanos = pause;
                resumedNanos = loadBeganNanos;
                beforePause = whole();
            }
            loads++;
            endedNanos = nowNanos;
        }

        boolean isOver(long shortestNanos) {
            return loads >= LOADS && endedNanos - beganNanos >= shortestNanos;
        }

        boolean hasGap(long longestPauseNanos) {
            return pauseNanos > longestPauseNanos && pauseNanos > FACTOR * (endedNanos - beganNanos - pauseNanos);
        }

        Burst whole() {
            return new Burst(loads, Duration.ofNanos(endedNanos - beganNanos));
        }

        Stretch afterPause() {
            Stretch rest = new Stretch(resumedNanos);
            rest.loads = loads - beforePause.loads;
            rest.endedNanos = endedNanos;
            return rest;
        }
    }

    /** Creates a detector: stretches have at least the shortest length, and loads over the longest are no longer a burst. */
    LoadBursts(Duration shortest, Duration longest) {
        this.longest = longest;
        this.shortestNanos = shortest.toNanos();
        this.longestPauseNanos = longest.dividedBy(PAUSE_PART).toNanos();
    }

    /** Adds a load; returns the burst that has ended since, usually none. */
    @Nullable
    Burst add(long beganNanos, long nowNanos) {
        lock.lock();
        try {
            Stretch current = stretch == null ? new Stretch(beganNanos) : stretch;
            current.add(beganNanos, nowNanos);
            stretch = current;
            return current.isOver(shortestNanos) ? endedBy(current) : null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Burst endedBy(Stretch over) {
        if (over.hasGap(longestPauseNanos)) {
            stretch = over.afterPause();
            return endedByPauseAfter(over.beforePause);
        }
        stretch = new Stretch(over.endedNanos);
        return endedBy(over.whole());
    }

    /** The loads before the pause are either too few to compare, or the end of the burst. */
    private @Nullable Burst endedByPauseAfter(Burst last) {
        Burst before = burst;
        burst = null;
        Burst ended = before == null ? last : last.isSlowerThan(before) ? before : before.and(last);
        return ended.loads < LOADS || isSteady(ended) ? null : ended;
    }

    private @Nullable Burst endedBy(Burst next) {
        Burst before = burst;
        if (before == null) {
            burst = next;
            return null;
        }
        boolean ended = next.isSlowerThan(before);
        burst = ended || (isSteady(before) && before.isSlowerThan(next)) ? next : before.and(next);
        return ended && !isSteady(before) ? before : null;
    }

    private boolean isSteady(Burst of) {
        return of.length.compareTo(longest) >= 0;
    }
}
