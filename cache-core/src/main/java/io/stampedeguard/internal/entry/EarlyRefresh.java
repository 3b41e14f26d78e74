package io.stampedeguard.internal.entry;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.LeaseToken;

/**
 * The time at which an entry is reloaded so that it never goes stale (A. Vattani, F. Chierichetti, K. Lowenstein, "Optimal
 * Probabilistic Cache Stampede Prevention", PVLDB 8(8), 2015, "XFetch"):
 *
 * <ol>
 *   <li>with δ as the time that its load took, it is due when so much of its soft TTL is left with the probability
 *       exp(−left/(β·δ)); that is, when less is left than β·δ·(−ln u), with u drawn evenly from 0 to 1;
 *   <li>u is drawn once for each entry, from its token: all processes draw the same. Drawn for each read, as in the paper,
 *       keys would be reloaded the earlier the more often they are read: what keeps processes from reloading at once here is
 *       the lease;
 *   <li>when no more than 1.2 δ is left it is due for certain: a load that begins later may end too late;
 *   <li>but never in the first half of its life: where loads take as long as entries live, they would never end;
 *   <li>and in any case after the policy's share of its life.
 * </ol>
 *
 * <p>Pure.
 */
public final class EarlyRefresh {
    /** Not all loads take as long as the last, and reads come when they come. */
    private static final double MARGIN = 1.2;

    /** The share of its life in which no entry is due because of its load. */
    private static final double EARLIEST = 0.5;

    private EarlyRefresh() {}

    /** Returns whether an entry is due, by the store's clock. For most reads that takes two comparisons. */
    public static boolean isDue(Entry entry, long nowMillis, CachePolicy policy) {
        long staleAt = staleAt(entry);
        double life = (double) staleAt - entry.createdMillis();
        double age = (double) nowMillis - entry.createdMillis();
        return nowMillis >= staleAt
                || (age >= life * Math.min(EARLIEST, policy.refreshAfter()) && nowMillis >= dueAtMillis(entry, policy));
    }

    private static long staleAt(Entry entry) {
        return Math.min(entry.softExpiryMillis(), entry.hardExpiryMillis());
    }

    /** Returns when an entry is due, by the store's clock; at the latest when it goes stale. */
    public static long dueAtMillis(Entry entry, CachePolicy policy) {
        long staleAt = staleAt(entry);
        long life = staleAt - entry.createdMillis();
        if (life <= 0) {
            return staleAt;
        }
        long afterShare = entry.createdMillis() + (long) Math.ceil((double) life * policy.refreshAfter());
        return Math.min(afterShare, staleAt - leftWhenDue(entry, life, policy.earlyRefresh()));
    }

    private static long leftWhenDue(Entry entry, long life, double beta) {
        if (beta == 0) {
            return 0;
        }
        double left = xFetchLeft(entry.loadMillis(), beta, draw(entry.token()));
        return (long) Math.min(Math.max(left, entry.loadMillis() * MARGIN), life * (1 - EARLIEST));
    }

    /**
     * Returns how much is left when an entry is due by XFetch alone.
     *
     * @param draw evenly drawn from 0 to 1
     * @return as many milliseconds or more with the probability exp(−ms/(β·δ))
     */
    static double xFetchLeft(double loadMillis, double beta, double draw) {
        return loadMillis * beta * -Math.log(Math.max(draw, Double.MIN_NORMAL));
    }

    /** Draws evenly from 0 to 1: the last step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over the token. */
    static double draw(LeaseToken token) {
        long mixed = token.random() + (token.processId() * 31L + token.count()) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return ((mixed ^ mixed >>> 31) >>> 11) * 0x1.0p-53;
    }
}
