package io.stampedeguard.report;

import java.time.Duration;

/**
 * The near cache's entry for a key. <em>Immutable.</em>
 *
 * @param state whether it is served
 * @param negative whether it is "the origin has none"
 * @param age how long ago it was loaded
 * @param left how much longer it is served; zero if it is too old to be served
 */
public record CopyReport(State state, boolean negative, Duration age, Duration left) {
    /** The state of a near-cache entry. */
    public enum State {
        /** It is served. */
        FRESH,
        /** It is too old: the store is asked. */
        STALE,
        /** The key was changed, or changes may have been missed: the store is asked. */
        OUTDATED
    }

    /** Returns this report as one line. */
    @Override
    public String toString() {
        return Shown.word(state) + (negative ? ", absent" : "") + ", loaded " + Shown.length(age) + " ago"
                + (state == State.FRESH ? ", answers for " + Shown.length(left) + " more" : "");
    }
}
