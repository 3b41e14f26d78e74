package io.stampedeguard.internal.observe;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds bursts among loads: many in a fraction of the time that as many take before and after, as when a cache is filled.
 *
 * <ol>
 *   <li>loads are looked at in stretches of a hundred or more, and of a shortest time or more: those of one bulk call are
 *       over at once. The first begins with its first load, the next ones where the one before ended;
 *   <li>a stretch in which nothing was loaded for far longer than all its loads took, and than batches are paced, is cut there:
 *       the burst has come to its end before that pause, and the next stretch begins with the load after it;
 *   <li>else a stretch belongs to the burst so far, which is the longer for it, unless
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

    /** A pause within a burst is at most this part of the longest burst. */
    private static final int PAUSE_PART = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final long shortestNanos;
    private final long longestPauseNanos;
    private final Duration longest;
    private @Nullable Stretch stretch;
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

    /** Loads one after the other, and the longest pause among them. */
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

    /**
     * Begins to look at loads.
     *
     * @param shortest how long a stretch is at least
     * @param longest what is as long is no burst any more
     */
    LoadBursts(Duration shortest, Duration longest) {
        this.longest = longest;
        this.shortestNanos = shortest.toNanos();
        this.longestPauseNanos = longest.dividedBy(PAUSE_PART).toNanos();
    }

    /** Adds a load; tells which burst has come to its end since, as a rule none. */
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

    /** What came before the pause is too little to be compared, or the last of the burst. */
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
