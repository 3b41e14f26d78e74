package io.stampedeguard.report;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The entry for a key, in the store or in the near cache. <em>Immutable.</em>
 *
 * @param state how a read treats it
 * @param negative whether it is "the origin has none"
 * @param age how long ago it was loaded; {@code null} if there is no entry, or none that can be decoded
 * @param softLeft how much longer it is fresh, zero if it is not; {@code null} like the age
 * @param hardLeft how much longer it may be served, zero if it may not; {@code null} like the age, and in the near cache
 * @param publisher the token that published it, as text; {@code null} like {@code hardLeft}
 * @param loadTime how long the load took; {@code null} like {@code hardLeft}
 * @param payloadBytes the length of the encoded value; 0 where {@code hardLeft} is {@code null}
 * @param storedBytes the number of stored bytes; 0 in the near cache
 * @param remaining how long the store keeps them; {@code null} if this is unknown or unlimited
 */
public record EntryReport(
        State state,
        boolean negative,
        @Nullable Duration age,
        @Nullable Duration softLeft,
        @Nullable Duration hardLeft,
        @Nullable String publisher,
        @Nullable Duration loadTime,
        int payloadBytes,
        int storedBytes,
        @Nullable Duration remaining) {
    /** How a read treats an entry. */
    public enum State {
        /** There is no entry: it is loaded. */
        ABSENT,
        /** Younger than its soft TTL: it is served. */
        FRESH,
        /** Older than its soft TTL: a stored entry is served and reloaded; instead of one in the near cache, the store is asked. */
        STALE,
        /** "The origin has none" in the store, younger than the negative TTL: it is served. */
        NEGATIVE,
        /** Too old to be served, or removed with all others: it is loaded. */
        EXPIRED,
        /** In the near cache, and the key was changed, or changes may have been missed: the store is asked. */
        OUTDATED,
        /** Not a complete entry of a known format: it is loaded. */
        DAMAGED
    }

    /**
     * {@return a new report on an entry of the near cache}
     *
     * @param state how a read treats it
     * @param negative whether it is "the origin has none"
     * @param age how long ago it was loaded
     * @param softLeft how much longer it is fresh
     */
    public static EntryReport ofCopy(State state, boolean negative, Duration age, Duration softLeft) {
        return new EntryReport(state, negative, age, softLeft, null, null, null, 0, 0, null);
    }

    /** Returns this report as one line. */
    @Override
    public String toString() {
        String size = state == State.DAMAGED ? ", " + storedBytes + " bytes" : "";
        return Shown.word(state)
                + size
                + content()
                + (remaining == null ? "" : ", kept for " + Shown.length(remaining));
    }

    private String content() {
        if (age == null || softLeft == null) {
            return "";
        }
        String loaded = ", loaded " + Shown.length(age) + " ago";
        if (hardLeft == null || loadTime == null) {
            String left = state == State.FRESH ? ", answers for " + Shown.length(softLeft) + " more" : "";
            return (negative ? ", absent" : "") + loaded + left;
        }
        return ", " + payloadBytes + " bytes of payload" + loaded + " in " + Shown.length(loadTime) + " by " + publisher
                + ", soft expiry " + expiry(softLeft) + ", hard expiry " + expiry(hardLeft);
    }

    private static String expiry(Duration left) {
        return left.isZero() ? "over" : "in " + Shown.length(left);
    }
}
