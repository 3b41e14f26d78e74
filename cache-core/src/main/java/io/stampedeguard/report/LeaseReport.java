package io.stampedeguard.report;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
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

    /**
     * {@return a new report on a lease in a store}
     *
     * @param lease how a request for it would be answered; {@code null} if the store does not report it
     * @param leaseTtl how long leases live after they were granted or renewed; {@code null} if this is unknown
     */
    @SuppressWarnings("exports") // for programs of this project
    public static LeaseReport of(@Nullable LeaseAttempt lease, @Nullable Duration leaseTtl) {
        if (lease instanceof LeaseAttempt.Held held) {
            return new LeaseReport(State.HELD, text(held.holder()), held.remaining(), age(held, leaseTtl), 0, null);
        }
        if (lease instanceof LeaseAttempt.Failed cooling) {
            String failure = FailureText.decode(cooling.failure()).toString();
            return new LeaseReport(State.COOLING_DOWN, null, cooling.remaining(), null, cooling.failures(), failure);
        }
        if (lease instanceof LeaseAttempt.NotCacheable passed) {
            return new LeaseReport(State.NOT_CACHEABLE, null, passed.remaining(), null, 0, null);
        }
        return lease instanceof LeaseAttempt.Granted free
                ? new LeaseReport(State.FREE, null, null, null, free.failuresBefore(), null)
                : new LeaseReport(State.UNKNOWN, null, null, null, 0, null);
    }

    private static @Nullable String text(@Nullable LeaseToken holder) {
        return holder == null ? null : holder.toString();
    }

    private static @Nullable Duration age(LeaseAttempt.Held held, @Nullable Duration leaseTtl) {
        return leaseTtl == null || leaseTtl.compareTo(held.remaining()) < 0 ? null : leaseTtl.minus(held.remaining());
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
                        + (failure == null ? "" : KeyEncoder.shown(failure));
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
