package io.stampedeguard.report;

import java.time.Duration;

/**
 * What a near cache has of a key. <em>Immutable.</em>
 *
 * @param state whether it is answered
 * @param negative whether it says "the origin has none"
 * @param age how long ago it was loaded
 * @param left how long it is answered yet if nothing happens; zero if it is not answered for its age
 */
public record CopyReport(State state, boolean negative, Duration age, Duration left) {
    /** Whether a copy is answered. */
    public enum State {
        /** It is answered. */
        FRESH,
        /** Its time is over: the store is asked. */
        STALE,
        /** The key was changed, or nothing is heard of changes: the store is asked. */
        OUTDATED
    }

    /** Returns all of it, in one line. */
    @Override
    public String toString() {
        return Shown.word(state) + (negative ? ", absent" : "") + ", loaded " + Shown.length(age) + " ago"
                + (state == State.FRESH ? ", answers for " + Shown.length(left) + " more" : "");
    }
}
