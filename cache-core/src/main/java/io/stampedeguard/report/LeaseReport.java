package io.stampedeguard.report;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.store.LeaseState;
import io.stampedeguard.store.LeaseToken;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a key: its holder, or why it is granted to nobody. <em>Immutable.</em>
 *
 * @param state what one is told who asks for the lease
 * @param holder who holds it; {@code null} if nobody does, or what holds it is no token
 * @param remaining how long it is held, the key cools down, or is not cacheable if nothing happens; {@code null} if it is neither
 * @param age how long ago it was granted or renewed last, if its holder's policy is the asker's; {@code null} if that is not
 *     known
 * @param failures how many loads failed in a row, as far as is remembered
 * @param failure class and message of what the last of them threw; {@code null} if the key does not cool down
 */
public record LeaseReport(
        State state,
        @Nullable LeaseToken holder,
        @Nullable Duration remaining,
        @Nullable Duration age,
        int failures,
        @Nullable String failure) {
    /** What one is told who asks for the lease. */
    public enum State {
        /** Nobody holds it. */
        FREE,
        /** Somebody holds it, and loads. */
        HELD,
        /** A load has failed lately: nobody loads. */
        COOLING_DOWN,
        /** The last load brought a result that is not stored: callers load for themselves. */
        NOT_CACHEABLE,
        /** The store does not tell. */
        UNKNOWN
    }

    /**
     * Creates a report from the state of a lease in a store.
     *
     * @param lease what it has
     * @param leaseTtl how long leases live after they were granted or renewed; {@code null} if that is not known
     * @return what that is
     */
    public static LeaseReport of(LeaseState lease, @Nullable Duration leaseTtl) {
        if (lease instanceof LeaseState.Held held) {
            return new LeaseReport(State.HELD, held.holder(), held.remaining(), age(held, leaseTtl), 0, null);
        }
        if (lease instanceof LeaseState.CoolingDown cooling) {
            String failure = FailureText.decode(cooling.failure()).toString();
            return new LeaseReport(State.COOLING_DOWN, null, cooling.remaining(), null, cooling.failures(), failure);
        }
        if (lease instanceof LeaseState.NotCacheable passed) {
            return new LeaseReport(State.NOT_CACHEABLE, null, passed.remaining(), null, 0, null);
        }
        return lease instanceof LeaseState.Free free
                ? new LeaseReport(State.FREE, null, null, null, free.failures(), null)
                : new LeaseReport(State.UNKNOWN, null, null, null, 0, null);
    }

    private static @Nullable Duration age(LeaseState.Held held, @Nullable Duration leaseTtl) {
        return leaseTtl == null || leaseTtl.compareTo(held.remaining()) < 0 ? null : leaseTtl.minus(held.remaining());
    }

    /** Returns all of it, in one line. */
    @Override
    public String toString() {
        return switch (state) {
            case FREE -> "free" + (failures == 0 ? "" : ", after " + failed());
            case HELD ->
                "held by " + (holder == null ? "something that is no token" : holder)
                        + shown(", for ", remaining, " more") + shown(", granted or renewed ", age, " ago");
            case COOLING_DOWN ->
                "cooling down" + shown(", for ", remaining, " more") + ", after " + failed() + ": "
                        + (failure == null ? "" : KeyText.shown(failure));
            case NOT_CACHEABLE -> "not cacheable: callers load for themselves" + shown(", for ", remaining, " more");
            case UNKNOWN -> "the store does not tell";
        };
    }

    private String failed() {
        return failures + (failures == 1 ? " failed load" : " failed loads");
    }

    private static String shown(String before, @Nullable Duration length, String after) {
        return length == null ? "" : before + Shown.length(length) + after;
    }
}
