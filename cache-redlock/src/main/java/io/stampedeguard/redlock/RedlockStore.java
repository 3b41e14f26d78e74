package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * A {@link RedisStore} whose leases are also held by a majority of independent Redis servers. So a failover of the store that
 * loses a lease does not allow a second load beside the first. This is Redlock ("Distributed Locks with Redis", redis.io), with
 * the store as the fence that Redlock itself lacks (M. Kleppmann, "How to do distributed locking", 2016):
 *
 * <ol>
 *   <li>The lease is first requested from the store. If it does not grant the lease, its answer is the result.
 *   <li>Then it is requested from all servers at the same time, with the same token. The lease is granted if a majority
 *       grants it, and if some of its TTL is left after the time this took, plus 1 % of the TTL and 2 ms for clock drift.
 *   <li>Otherwise everything is given back. The result states that the lease is held, and for how long, but not by whom.
 *   <li>If too few servers answer for a majority, and none of them knows a holder, the store decides alone, as without Redlock.
 *       The log contains a warning until they answer again.
 *   <li>Entries, failures, and the clock are on the store only. It alone decides what is published.
 *   <li>A server that does not answer, or not within 250 ms, never fails a call that the store has answered.
 * </ol>
 *
 * <p>It reduces duplicate loads after a failover. It does not help against entries or deletions that a failover loses; see
 * {@code docs/redlock.md}. <em>Thread-safe.</em> A step blocks like that of the store, and additionally for up to 250 ms
 * while a server does not answer, or twice that if the lease is not granted.
 */
@SuppressWarnings("exports") // what the verbs take and return is the business of the cache and its stores
public final class RedlockStore implements CacheStore {
    private static final int FEWEST_SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private final SharedStore shared;

    RedlockStore(RedisStore values, List<RedisStore> servers, TimeSource time, Duration patience) {
        this.shared = new QuorumStore(values, servers, time, patience);
    }

    /**
     * Creates a store whose leases are also held by other servers. They should be independent: not replicas of each other or of
     * the store. Sends nothing, so the servers need not be reachable yet.
     *
     * @param values the store of the entries, which decides what is published; not closed by the new store
     * @param servers the lock servers, an odd number of them, with timeouts well below the {@code leaseTtl}; none of them may
     *     store entries under the same names. Not closed by the new store
     * @return a new store
     * @throws IllegalArgumentException if there are fewer than three servers, or a server is passed twice or is the store of
     *     the values
     */
    public static RedlockStore over(RedisStore values, List<RedisStore> servers) {
        requireNonNull(values, "values");
        List<RedisStore> all = List.copyOf(servers);
        if (all.size() < FEWEST_SERVERS) {
            throw new IllegalArgumentException(
                    "Redlock needs at least " + FEWEST_SERVERS + " lock servers, not " + all.size());
        }
        for (int i = 0; i < all.size(); i++) {
            requireAnother(all.get(i), values, "is the store of the values");
            for (RedisStore other : all.subList(0, i)) {
                requireAnother(all.get(i), other, "is passed twice");
            }
        }
        return new RedlockStore(values, all, TimeSource.system(), PATIENCE);
    }

    private static void requireAnother(RedisStore server, RedisStore other, String wrong) {
        String where = StoreParts.of(server).where();
        if (server == other
                || (!where.isEmpty() && where.equals(StoreParts.of(other).where()))) {
            throw new IllegalArgumentException("the lock server" + where + " " + wrong);
        }
    }

    @Override
    public SharedStore shared() {
        return shared;
    }
}
