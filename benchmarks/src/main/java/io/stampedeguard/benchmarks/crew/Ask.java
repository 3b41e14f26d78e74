package io.stampedeguard.benchmarks.crew;

import java.time.Duration;

/**
 * The requests of some callers of one process in a round. Each caller is a platform thread of its own. The first one begins
 * {@code after} the release, the next ones {@code apart} from each other, or all at one instant if that is zero. Each repeats its
 * request for the time {@code repeatFor}, or requests once if that is zero, with a {@code pause} after each answer.
 * <em>Immutable.</em>
 */
public record Ask(
        String key, Row row, int callers, Duration after, Duration apart, Duration repeatFor, Duration pause) {
    /** Creates an ask in which each caller requests once, all at the release. */
    public static Ask once(int callers, String key, Row row) {
        return new Ask(key, row, callers, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /** Returns the same ask, later than the release. */
    public Ask after(Duration later) {
        return new Ask(key, row, callers, later, apart, repeatFor, pause);
    }

    /**
     * Returns the same ask, in which callers begin one after the other, whether the previous one has its answer or not ("open
     * loop").
     */
    public Ask apart(Duration distance) {
        return new Ask(key, row, callers, after, distance, repeatFor, pause);
    }

    /** Returns the same ask, in which each caller repeats its request for a length of time, with a pause after each answer. */
    public Ask repeating(Duration length, Duration between) {
        return new Ask(key, row, callers, after, apart, length, between);
    }
}
