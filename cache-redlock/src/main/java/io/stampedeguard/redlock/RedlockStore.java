package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.redlock.LockServers.LockStore;
import io.stampedeguard.store.BreakerEvents;
import io.stampedeguard.store.Change;
import io.stampedeguard.store.FleetMembers;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseEnd;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.store.StoredKey;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * {@code docs/redlock.md}. <em>Thread-safe.</em> Each method blocks like that of the store, and additionally for up to 250 ms
 * while a server does not answer, or twice that if the lease is not granted.
 */
public final class RedlockStore
        implements SharedStore, LeaseNotifications, InvalidationEvents, FleetMembers, BreakerEvents {
    private static final int FEWEST_SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMillis(250);
    private static final Duration LEAST_DRIFT = Duration.ofMillis(2);
    private static final int DRIFT_SHARE = 100;
    private static final Logger LOG = LoggerFactory.getLogger(RedlockStore.class);

    private final RedisStore values;
    private final StoreParts parts;
    private final QuorumLocks locks;
    private final TimeSource time;

    RedlockStore(RedisStore values, List<RedisStore> servers, TimeSource time, Duration patience) {
        this.values = values;
        this.parts = StoreParts.of(values);
        this.locks = new QuorumLocks(new LockServers(lockStores(servers), time, patience));
        this.time = time;
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

    static List<LockStore> lockStores(List<RedisStore> servers) {
        return servers.stream()
                .map(store -> new LockStore(store, StoreParts.of(store)))
                .toList();
    }

    private static void requireAnother(RedisStore server, RedisStore other, String wrong) {
        String where = StoreParts.of(server).where();
        if (server == other
                || (!where.isEmpty() && where.equals(StoreParts.of(other).where()))) {
            throw new IllegalArgumentException("the lock server" + where + " " + wrong);
        }
    }

    @Override
    public Duration patience() {
        return values.patience();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        return values.read(key, patience);
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        return values.read(keys, patience);
    }

    /** One request to the lock servers covers all leases that the store has granted. */
    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        long began = time.monotonicNanos();
        Map<String, LeaseAttempt> attempts = values.lease(requests, ttl, patience);
        List<HeldLease> granted = requests.stream()
                .filter(request -> attempts.get(request.key()) instanceof LeaseAttempt.Granted)
                .map(request -> new HeldLease(request.key(), request.token()))
                .toList();
        if (granted.isEmpty()) {
            return attempts;
        }
        Map<String, QuorumResult<LeaseAttempt>> votes = locks.lockAll(granted, ttl);
        boolean inTime = isInTime(began, ttl);
        List<HeldLease> refused = granted.stream()
                .filter(lease -> !(inTime && vote(votes, lease).isFor()))
                .toList();
        if (!refused.isEmpty()) {
            withdraw(refused);
        }
        return with(attempts, refused, lease -> vote(votes, lease).refusal(ttl));
    }

    private static QuorumResult<LeaseAttempt> vote(Map<String, QuorumResult<LeaseAttempt>> votes, HeldLease lease) {
        return requireNonNull(votes.get(lease.key()));
    }

    private static Map<String, LeaseAttempt> with(
            Map<String, LeaseAttempt> attempts, List<HeldLease> refused, Function<HeldLease, LeaseAttempt> refusal) {
        Map<String, LeaseAttempt> all = new HashMap<>(attempts);
        refused.forEach(lease -> all.put(lease.key(), refusal.apply(lease)));
        return all;
    }

    private boolean isInTime(long beganNanos, Duration ttl) {
        return time.monotonicNanos() - beganNanos < longest(ttl).toNanos();
    }

    /** Returns the time within which a majority must be found: the holder can rely on the rest of the TTL. */
    private static Duration longest(Duration ttl) {
        return ttl.minus(ttl.dividedBy(DRIFT_SHARE)).minus(LEAST_DRIFT);
    }

    /** Gives everything back without a notification: a caller that retried at once would find the same holder. */
    private void withdraw(List<HeldLease> leases) {
        locks.releaseAll(leases);
        try {
            parts.withdraw(leases);
        } catch (StoreException unanswered) {
            LOG.debug("Leases that were not granted could not be given back; they expire by themselves", unanswered);
        }
    }

    /** A lease is kept if the store and a majority of the servers have renewed it; if too few answer, the store decides alone. */
    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        Set<HeldLease> lost = renewOnTheStore(leases, ttl);
        List<HeldLease> kept =
                leases.stream().filter(lease -> !lost.contains(lease)).toList();
        if (kept.isEmpty()) {
            return lost;
        }
        Set<HeldLease> all = new HashSet<>(lost);
        all.addAll(locks.renew(kept, ttl));
        return all;
    }

    /** Renews the locks also if the store fails: a failover may take longer than the TTL, and the locks must outlive it. */
    private Set<HeldLease> renewOnTheStore(Collection<HeldLease> leases, Duration ttl) {
        try {
            return values.renew(leases, ttl);
        } catch (StoreException failover) {
            locks.renew(leases, ttl);
            throw failover;
        }
    }

    /**
     * Releases the locks of leases whose end lets waiting callers request them at once before the store notifies them, and the
     * others after the store has answered.
     */
    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        List<HeldLease> before = new ArrayList<>();
        List<HeldLease> after = new ArrayList<>();
        ends.forEach((lease, end) -> {
            boolean isFreeAtOnce = end instanceof LeaseEnd.Abandon || end instanceof LeaseEnd.Pass;
            (isFreeAtOnce ? before : after).add(lease);
        });
        release(before);
        try {
            return values.end(ends);
        } finally {
            release(after);
        }
    }

    private void release(List<HeldLease> leases) {
        if (!leases.isEmpty()) {
            locks.releaseAll(leases);
        }
    }

    /**
     * Releases the locks first: while the store has the lease, no other caller can obtain locks, so none is taken from a load
     * that begins after the change. The store ensures that the result of a running load is not stored.
     */
    @Override
    public boolean change(String key, Change change, Duration patience) {
        long until = time.monotonicNanos() + patience.toNanos();
        locks.end(key);
        boolean isInTimeOnly = change instanceof Change.Put;
        return values.change(key, change, isInTimeOnly ? Duration.ofNanos(until - time.monotonicNanos()) : patience);
    }

    @Override
    public List<List<String>> groups(Collection<String> keys) {
        return values.groups(keys);
    }

    /** Returns the lease of the store, which decides before the lock servers. */
    @Override
    public StoredKey inspect(String key) {
        return values.inspect(key);
    }

    @Override
    public LeaseNotifications.Watch watch(String key, LeaseNotifications.Listener listener) {
        return values.watch(key, listener);
    }

    @Override
    public boolean reportsChanges() {
        return values.reportsChanges();
    }

    @Override
    public boolean hasBreaker() {
        return values.hasBreaker();
    }

    @Override
    public BreakerState breaker() {
        return values.breaker();
    }

    @Override
    public String condition() {
        return values.condition();
    }

    @Override
    public BreakerEvents.Watch watchBreaker(BreakerEvents.Listener listener) {
        return values.watchBreaker(listener);
    }

    @Override
    public void sendRegardless(Runnable requests) {
        values.sendRegardless(requests);
    }

    @Override
    public InvalidationEvents.Watch watchChanges(String cache, InvalidationEvents.Listener listener) {
        return values.watchChanges(cache, listener);
    }

    @Override
    public InvalidationEvents.Watch watchParts(String cache, List<? extends InvalidationEvents.Listener> listeners) {
        return values.watchParts(cache, listeners);
    }

    @Override
    public int parts() {
        return values.parts();
    }

    @Override
    public int partOf(String key) {
        return values.partOf(key);
    }

    /** Announces the process to the store of the entries only. */
    @Override
    public Membership beat(String cache, String process, Duration ttl) {
        return values.beat(cache, process, ttl);
    }

    @Override
    public void leave(String cache, String process) {
        values.leave(cache, process);
    }

    @Override
    public @Nullable StoreException refusal(String key) {
        return values.refusal(key);
    }

    @Override
    public @Nullable String shortage() {
        return values.shortage();
    }

    @Override
    public long currentTimeMillis() {
        return values.currentTimeMillis();
    }
}
