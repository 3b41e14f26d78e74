package io.stampedeguard.internal.storage;

/**
 * An estimate of whether the recent reads of a cache mostly missed: a number that each miss raises by one, up to a limit, and
 * each hit lowers by four, down to zero. It is high while less than about a fifth of the reads hit, and low after a few hits in a
 * row. A hit of a cache that rarely misses writes nothing. <em>Thread-safe</em>, and not exact: an update may be lost.
 */
final class MissStreak {
    private static final int HIGH = 8;
    private static final int HIGHEST = 16;
    private static final int HITS_WEIGH = 4;

    private int misses;

    void missed() {
        int known = misses;
        if (known < HIGHEST) {
            misses = known + 1;
        }
    }

    void hit() {
        int known = misses;
        if (known > 0) {
            misses = Math.max(0, known - HITS_WEIGH);
        }
    }

    boolean isHigh() {
        return misses >= HIGH;
    }
}
