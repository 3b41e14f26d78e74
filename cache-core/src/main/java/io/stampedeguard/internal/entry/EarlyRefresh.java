package io.stampedeguard.internal.entry;

import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;

/**
 * Decides when an entry is reloaded so that it never becomes stale (A. Vattani, F. Chierichetti, K. Lowenstein, "Optimal
 * Probabilistic Cache Stampede Prevention", PVLDB 8(8), 2015, "XFetch"):
 * <ol>
 *   <li>Let δ be the time that the entry's load took. The entry is due with the probability exp(−left/(β·δ)), where left is the
 *       rest of its soft TTL; that is, when less than β·δ·(−ln u) is left, with u drawn uniformly from 0 to 1.
 *   <li>u is drawn once per entry, from its token: all processes draw the same. If it were drawn for each read, as in the paper,
 *       frequently read keys would be reloaded earlier. What prevents concurrent reloads here is the lease.
 *   <li>When no more than 1.2 δ is left, the entry is always due: a load that begins later may end too late.
 *   <li>In the first half of its soft TTL, it is never due: otherwise slow loads would repeat without end.
 * </ol>
 *
 * <p>Pure.
 */
public final class EarlyRefresh {
    /** Loads may take longer than the last one, and reads come at any time. */
    private static final double MARGIN = 1.2;

    /** The share of its soft TTL in which no entry is due. */
    private static final double EARLIEST = 0.5;

    private EarlyRefresh() {}

    /** Returns whether an entry is due, by the store's clock. For most reads this takes two comparisons. */
    public static boolean isDue(Entry entry, long nowMillis, CachePolicy policy) {
        long staleAt = staleAt(entry);
        double life = (double) staleAt - entry.createdMillis();
        double age = (double) nowMillis - entry.createdMillis();
        return nowMillis >= staleAt || (age >= life * EARLIEST && nowMillis >= dueAtMillis(entry, policy));
    }

    private static long staleAt(Entry entry) {
        return Math.min(entry.softExpiryMillis(), entry.hardExpiryMillis());
    }

    /** Returns when an entry is due, by the store's clock; at the latest when it becomes stale. */
    public static long dueAtMillis(Entry entry, CachePolicy policy) {
        long staleAt = staleAt(entry);
        long life = staleAt - entry.createdMillis();
        if (life <= 0) {
            return staleAt;
        }
        return staleAt - leftWhenDue(entry, life, policy.earlyRefresh());
    }

    private static long leftWhenDue(Entry entry, long life, double beta) {
        if (beta == 0) {
            return 0;
        }
        double left = xFetchLeft(entry.loadMillis(), beta, draw(entry.token()));
        return (long) Math.min(Math.max(left, entry.loadMillis() * MARGIN), life * (1 - EARLIEST));
    }

    /**
     * Returns how much of the soft TTL is left when an entry is due by XFetch alone: the given number of milliseconds or more
     * with the probability exp(−ms/(β·δ)), if the draw is uniform from 0 to 1.
     */
    static double xFetchLeft(double loadMillis, double beta, double draw) {
        return loadMillis * beta * -Math.log(Math.max(draw, Double.MIN_NORMAL));
    }

    /** Returns a uniform number from 0 to 1: the last step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over the token. */
    static double draw(LeaseToken token) {
        long mixed = token.random() + (token.processId() * 31L + token.count()) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return ((mixed ^ mixed >>> 31) >>> 11) * 0x1.0p-53;
    }
}
