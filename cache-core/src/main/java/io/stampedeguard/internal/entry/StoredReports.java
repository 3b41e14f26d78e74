package io.stampedeguard.internal.entry;

import io.stampedeguard.internal.entry.Entry.Freshness;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.report.LeaseReport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a store holds for a key, as reports for users. */
public final class StoredReports {
    private StoredReports() {}

    /**
     * Returns a report on an entry.
     *
     * @param stored the stored bytes
     * @param nowMillis the store's clock
     * @param marks what is known of changes of all entries
     */
    public static EntryReport entry(StoredKey stored, long nowMillis, Marks marks) {
        byte[] bytes = stored.entry();
        Entry entry = bytes == null ? null : Entry.decode(bytes);
        if (bytes == null || entry == null) {
            EntryReport.State state = bytes == null ? EntryReport.State.ABSENT : EntryReport.State.DAMAGED;
            Duration remaining = bytes == null ? null : stored.remaining();
            return new EntryReport(
                    state, false, null, null, null, null, null, 0, bytes == null ? 0 : bytes.length, remaining);
        }
        Entry left = entry.under(marks);
        return new EntryReport(
                left == null ? EntryReport.State.EXPIRED : stateOf(left, nowMillis),
                entry.negative(),
                left(nowMillis, entry.createdMillis()),
                left(left == null ? 0 : left.softExpiryMillis(), nowMillis),
                left(entry.hardExpiryMillis(), nowMillis),
                entry.token().toString(),
                Duration.ofMillis(Math.max(0, entry.loadMillis())),
                entry.payload().remaining(),
                bytes.length,
                stored.remaining());
    }

    private static Duration left(long untilMillis, long nowMillis) {
        return untilMillis <= nowMillis ? Duration.ZERO : Duration.ofMillis(untilMillis - nowMillis);
    }

    private static EntryReport.State stateOf(Entry entry, long nowMillis) {
        Freshness freshness = entry.freshnessAt(nowMillis);
        if (entry.negative()) {
            return freshness == Freshness.FRESH ? EntryReport.State.NEGATIVE : EntryReport.State.EXPIRED;
        }
        return switch (freshness) {
            case FRESH -> EntryReport.State.FRESH;
            case STALE -> EntryReport.State.STALE;
            case EXPIRED -> EntryReport.State.EXPIRED;
        };
    }

    /**
     * Returns a report on a lease.
     *
     * @param lease how a request for it would be answered; {@code null} if the store does not report it
     * @param leaseTtl how long leases live after they were granted or renewed; {@code null} if this is unknown
     */
    public static LeaseReport lease(@Nullable LeaseAttempt lease, @Nullable Duration leaseTtl) {
        if (lease instanceof LeaseAttempt.Held held) {
            LeaseToken holder = held.holder();
            String token = holder == null ? null : holder.toString();
            return new LeaseReport(LeaseReport.State.HELD, token, held.remaining(), age(held, leaseTtl), 0, null);
        }
        if (lease instanceof LeaseAttempt.Failed cooling) {
            String failure = FailureText.decode(cooling.failure()).toString();
            LeaseReport.State state = LeaseReport.State.COOLING_DOWN;
            return new LeaseReport(state, null, cooling.remaining(), null, cooling.failures(), failure);
        }
        if (lease instanceof LeaseAttempt.NotCacheable passed) {
            return new LeaseReport(LeaseReport.State.NOT_CACHEABLE, null, passed.remaining(), null, 0, null);
        }
        return lease instanceof LeaseAttempt.Granted free
                ? new LeaseReport(LeaseReport.State.FREE, null, null, null, free.failuresBefore(), null)
                : new LeaseReport(LeaseReport.State.UNKNOWN, null, null, null, 0, null);
    }

    private static @Nullable Duration age(LeaseAttempt.Held held, @Nullable Duration leaseTtl) {
        return leaseTtl == null || leaseTtl.compareTo(held.remaining()) < 0 ? null : leaseTtl.minus(held.remaining());
    }
}
