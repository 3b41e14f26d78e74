package io.stampedeguard.report;

import io.stampedeguard.internal.failure.ShownText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a key: its holder, or why it is not granted. <em>Immutable.</em>
 *
 * @param state the answer to a request for the lease
 * @param holder the token of the holder, as text; {@code null} if there is none, or if the stored holder is not a token
 * @param remaining how much longer it is held, the key cools down, or is not cacheable; {@code null} in other states
 * @param age how long ago it was granted or renewed, if the holder has the policy of this process; {@code null} if unknown
 * @param failures the number of loads that failed in a row, as far as it is still stored
 * @param failure class and message of the last loader exception; {@code null} if the key does not cool down
 */
public record LeaseReport(
        State state,
        @Nullable String holder,
        @Nullable Duration remaining,
        @Nullable Duration age,
        int failures,
        @Nullable String failure) {
    /** The answer to a request for the lease. */
    public enum State {
        /** It is free. */
        FREE,
        /** It is held, and the key is being loaded. */
        HELD,
        /** A load has recently failed: the key is not loaded. */
        COOLING_DOWN,
        /** The result of the last load is not stored: callers load for themselves. */
        NOT_CACHEABLE,
        /** The store does not report it. */
        UNKNOWN
    }

    /** Returns this report as one line. */
    @Override
    public String toString() {
        return switch (state) {
            case FREE -> "free" + (failures == 0 ? "" : ", after " + failed());
            case HELD ->
                "held by " + (holder == null ? "an unknown holder" : holder) + shown(", for ", remaining, " more")
                        + shown(", granted or renewed ", age, " ago");
            case COOLING_DOWN ->
                "cooling down" + shown(", for ", remaining, " more") + ", after " + failed() + ": "
                        + (failure == null ? "" : ShownText.of(failure));
            case NOT_CACHEABLE -> "not cacheable: callers load for themselves" + shown(", for ", remaining, " more");
            case UNKNOWN -> "not reported by the store";
        };
    }

    private String failed() {
        return failures + (failures == 1 ? " failed load" : " failed loads");
    }

    private static String shown(String before, @Nullable Duration length, String after) {
        return length == null ? "" : before + Shown.length(length) + after;
    }
}
