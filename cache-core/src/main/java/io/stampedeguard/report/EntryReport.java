package io.stampedeguard.report;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.Freshness;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoredKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The store's entry for a key. <em>Immutable.</em>
 *
 * @param state how a read treats it
 * @param storedBytes the number of stored bytes
 * @param remaining how long the store keeps them; {@code null} if this is unknown or unlimited
 * @param details the content of the entry; {@code null} if there is none, or none that can be decoded
 */
public record EntryReport(
        State state,
        int storedBytes,
        @Nullable Duration remaining,
        @Nullable Details details) {
    /** How a read treats an entry. */
    public enum State {
        /** There is no entry: it is loaded. */
        ABSENT,
        /** Younger than its soft TTL: it is served. */
        FRESH,
        /** Between soft and hard TTL: it is served and reloaded. */
        STALE,
        /** "The origin has none", younger than the negative TTL: it is served. */
        NEGATIVE,
        /** Too old to be served: it is loaded. */
        EXPIRED,
        /** Not a complete entry of a known format: it is loaded. */
        DAMAGED
    }

    /**
     * The content of an entry, by the store's clock.
     *
     * @param publisher the token that published it
     * @param negative whether it is "the origin has none"
     * @param age how long ago it was loaded
     * @param softLeft how much longer it is fresh; zero if it is not
     * @param hardLeft how much longer it may be served; zero if it may not
     * @param loadTime how long the load took
     * @param payloadBytes the length of the encoded value
     */
    public record Details(
            LeaseToken publisher,
            boolean negative,
            Duration age,
            Duration softLeft,
            Duration hardLeft,
            Duration loadTime,
            int payloadBytes) {
        private static Details of(Entry entry, long nowMillis) {
            return new Details(
                    entry.token(),
                    entry.negative(),
                    left(nowMillis, entry.createdMillis()),
                    left(entry.softExpiryMillis(), nowMillis),
                    left(entry.hardExpiryMillis(), nowMillis),
                    Duration.ofMillis(Math.max(0, entry.loadMillis())),
                    entry.payload().remaining());
        }

        private static Duration left(long untilMillis, long nowMillis) {
            return untilMillis <= nowMillis ? Duration.ZERO : Duration.ofMillis(untilMillis - nowMillis);
        }

        @Override
        public String toString() {
            return payloadBytes + " bytes of payload, loaded " + Shown.length(age) + " ago in "
                    + Shown.length(loadTime) + " by " + publisher + ", soft expiry " + expiry(softLeft)
                    + ", hard expiry " + expiry(hardLeft);
        }

        private static String expiry(Duration left) {
            return left.isZero() ? "over" : "in " + Shown.length(left);
        }
    }

    /**
     * {@return a new report from the content of a store}
     *
     * @param stored the stored bytes
     * @param nowMillis the store's clock
     */
    public static EntryReport of(StoredKey stored, long nowMillis) {
        byte[] bytes = stored.entry();
        if (bytes == null) {
            return new EntryReport(State.ABSENT, 0, null, null);
        }
        Entry entry = Entry.decode(bytes);
        return entry == null
                ? new EntryReport(State.DAMAGED, bytes.length, stored.remaining(), null)
                : new EntryReport(
                        stateOf(entry, nowMillis), bytes.length, stored.remaining(), Details.of(entry, nowMillis));
    }

    private static State stateOf(Entry entry, long nowMillis) {
        Freshness freshness = entry.freshnessAt(nowMillis);
        if (entry.negative()) {
            return freshness == Freshness.FRESH ? State.NEGATIVE : State.EXPIRED;
        }
        return switch (freshness) {
            case FRESH -> State.FRESH;
            case STALE -> State.STALE;
            case EXPIRED -> State.EXPIRED;
        };
    }

    /** Returns this report as one line. */
    @Override
    public String toString() {
        String what = details == null ? "" : ", " + details;
        String size = state == State.DAMAGED ? ", " + storedBytes + " bytes" : "";
        return Shown.word(state) + size + what + (remaining == null ? "" : ", kept for " + Shown.length(remaining));
    }
}
