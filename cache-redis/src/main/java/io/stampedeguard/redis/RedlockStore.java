package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.connect.Turn;
import io.stampedeguard.redis.internal.redlock.LockServers;
import io.stampedeguard.redis.internal.redlock.LockStore;
import io.stampedeguard.redis.internal.redlock.QuorumLocks;
import io.stampedeguard.redis.internal.redlock.QuorumResult;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.store.StoredKey;
import io.stampedeguard.store.UnstoredResult;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
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
 * A {@link RedisStore} whose leases are also held by a majority of independent Redis servers, so that a failover of the
 * store that forgets a lease does not let a second load begin beside the first. This is Redlock ("Distributed Locks with
 * Redis", redis.io), with the store as the fence that Redlock itself has not (M. Kleppmann, "How to do distributed
 * locking", 2016):
 *
 * <ol>
 *   <li>the store is asked for the lease first. What it answers other than granted, as it does whenever somebody else
 *       loads, is the answer;
 *   <li>then all servers are asked at once for the same lease under the same token. It is granted if a majority grants
 *       it, and if the time that took, and 1 % of the lease's life and 2 ms for clocks that drift, leave some of it;
 *   <li>else everything is given back, and the answer is that it is held, for how long, though not by whom;
 *   <li>if too few servers answer to tell, and none knows a holder, the store alone decides, as it does without Redlock:
 *       that is a warning in the log until they answer again;
 *   <li>entries, failures and the clock live on the store alone. It alone decides what is published;
 *   <li>a server that does not answer, or not within 250 ms, never makes a call fail that the store has answered.
 * </ol>
 *
 * <p>It helps to load less often after a failover, and does not help against entries or deletions that a failover
 * forgets; see {@code docs/redlock.md}. <em>Thread-safe</em>; each method blocks as those of the store do, and for up to
 * 250 ms while a server does not answer, twice that if the lease is not granted.
 */
public final class RedlockStore implements SharedStore, LeaseNotifications, InvalidationEvents {
    private static final int FEWEST_SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMillis(250);
    private static final Duration LEAST_DRIFT = Duration.ofMillis(2);
    private static final int DRIFT_SHARE = 100;
    private static final Logger LOG = LoggerFactory.getLogger(RedlockStore.class);

    private final RedisStore values;
    private final QuorumLocks locks;
    private final TimeSource time;

    RedlockStore(RedisStore values, List<RedisStore> servers, TimeSource time, Duration patience) {
        this.values = values;
        this.locks = new QuorumLocks(new LockServers(lockStores(servers), time, patience));
        this.time = time;
    }

    /**
     * Guards the leases of a store by other servers. They should be independent: no replicas of each other or of the
     * store. Nothing is asked of them yet, so they need not be there.
     *
     * @param values where the entries are and what is published is decided; not closed by this store
     * @param servers where the leases are held as well, an odd number of them, best with time-outs well below the
     *     {@code leaseTtl}; none of them keeps entries under the same names. Not closed by this store
     * @return a new store
     * @throws IllegalArgumentException if there are fewer than three servers, or one of them is named twice or is the
     *     store of the values
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
                requireAnother(all.get(i), other, "is named twice");
            }
        }
        return new RedlockStore(values, all, TimeSource.system(), PATIENCE);
    }

    static List<LockStore> lockStores(List<RedisStore> servers) {
        return servers.stream()
                .map(store -> new LockStore(store, store.where(), store::withdraw, store::withdrawAll))
                .toList();
    }

    private static void requireAnother(RedisStore server, RedisStore other, String wrong) {
        if (server == other || (!server.where().isEmpty() && server.where().equals(other.where()))) {
            throw new IllegalArgumentException("the lock server" + server.where() + " " + wrong);
        }
    }

    @Override
    public byte @Nullable [] read(String key) {
        return values.read(key);
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        return values.read(key, patience);
    }

    @Override
    public Map<String, byte @Nullable []> readAll(Collection<String> keys) {
        return values.readAll(keys);
    }

    @Override
    public Map<String, byte @Nullable []> readAll(Collection<String> keys, Duration patience) {
        return values.readAll(keys, patience);
    }

    @Override
    public LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        return lease(new LeaseRequest(key, token, seen), ttl, values.borrowTimeout());
    }

    @Override
    public LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        Turn turn = Turn.of(patience);
        LeaseAttempt attempt = values.lease(request, ttl, turn);
        if (!(attempt instanceof LeaseAttempt.Granted)) {
            return attempt;
        }
        QuorumResult<LeaseAttempt> vote = locks.lock(request.key(), request.token(), ttl);
        if (isInTime(turn.sentNanos(), ttl) && vote.isFor()) {
            return attempt;
        }
        withdraw(List.of(new HeldLease(request.key(), request.token())));
        return vote.refusal(ttl);
    }

    @Override
    public Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl) {
        return leaseAll(requests, ttl, values.borrowTimeout());
    }

    /** The lock servers are asked once for all leases that the store has granted. */
    @Override
    public Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        Turn turn = Turn.of(patience);
        Map<String, LeaseAttempt> attempts = values.leaseAll(requests, ttl, turn);
        List<HeldLease> granted = requests.stream()
                .filter(request -> attempts.get(request.key()) instanceof LeaseAttempt.Granted)
                .map(request -> new HeldLease(request.key(), request.token()))
                .toList();
        if (granted.isEmpty()) {
            return attempts;
        }
        Map<String, QuorumResult<LeaseAttempt>> votes = locks.lockAll(granted, ttl);
        boolean inTime = isInTime(turn.sentNanos(), ttl);
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

    private boolean isInTime(long sentNanos, Duration ttl) {
        return time.monotonicNanos() - sentNanos < longest(ttl).toNanos();
    }

    /** Within this time a majority must have been found: what is left of the lease's life then is the holder's. */
    private static Duration longest(Duration ttl) {
        return ttl.minus(ttl.dividedBy(DRIFT_SHARE)).minus(LEAST_DRIFT);
    }

    /** Gives everything back, and tells nobody: who came at once would meet the same holder. */
    private void withdraw(List<HeldLease> leases) {
        locks.releaseAll(leases);
        try {
            values.withdrawAll(leases);
        } catch (StoreException unanswered) {
            LOG.debug("Leases that were not granted live on until they die by themselves", unanswered);
        }
    }

    /** A lease is kept if the store has kept it, and a majority of the servers, unless too few of them answer. */
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

    /** A failover may take longer than a lease lives, and the locks are there to outlive it. */
    private Set<HeldLease> renewOnTheStore(Collection<HeldLease> leases, Duration ttl) {
        try {
            return values.renew(leases, ttl);
        } catch (StoreException failover) {
            locks.renew(leases, ttl);
            throw failover;
        }
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        try {
            return values.publish(key, token, entry, ttl);
        } finally {
            locks.release(key, token);
        }
    }

    @Override
    public Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        try {
            return values.publishAll(entries);
        } finally {
            locks.releaseAll(entries.stream().map(NewEntry::lease).toList());
        }
    }

    /** The locks go first: the store tells those who wait that the lease is free, and they ask at once. */
    @Override
    public boolean abandon(String key, LeaseToken token) {
        locks.release(key, token);
        return values.abandon(key, token);
    }

    /** The locks go first, as with {@link #abandon}. */
    @Override
    public Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        locks.releaseAll(leases);
        return values.abandonAll(leases);
    }

    @Override
    public Map<String, Boolean> failAll(Map<HeldLease, FailedLoad> failed) {
        try {
            return values.failAll(failed);
        } finally {
            locks.releaseAll(failed.keySet());
        }
    }

    @Override
    public boolean fail(String key, LeaseToken token, FailedLoad failed) {
        try {
            return values.fail(key, token, failed);
        } finally {
            locks.release(key, token);
        }
    }

    /** The locks go first: those who are told that the lease is free ask at once. */
    @Override
    public boolean pass(String key, LeaseToken token, UnstoredResult result) {
        locks.release(key, token);
        return values.pass(key, token, result);
    }

    /** The locks go first, as with {@link #pass}. */
    @Override
    public Map<String, Boolean> passAll(Map<HeldLease, UnstoredResult> results) {
        locks.releaseAll(results.keySet());
        return values.passAll(results);
    }

    /** The locks go first, as with {@link #invalidate}. */
    @Override
    public void put(String key, byte[] entry, Duration ttl) {
        locks.end(key);
        values.put(key, entry, ttl);
    }

    /**
     * The locks go first: while the lease stands on the store nobody else can have any, so that none is taken away from
     * a load that begins after the change. That a load in flight is not stored afterwards is the store's doing.
     */
    @Override
    public void invalidate(String key) {
        locks.end(key);
        values.invalidate(key);
    }

    /** The locks go first, as with {@link #invalidate}. */
    @Override
    public void expire(String key, int offset, byte[] mark) {
        locks.end(key);
        values.expire(key, offset, mark);
    }

    @Override
    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        try {
            return values.extend(key, token, seen, head, ttl);
        } finally {
            locks.release(key, token);
        }
    }

    @Override
    public List<List<String>> groups(Collection<String> keys) {
        return values.groups(keys);
    }

    /** Returns the lease of the store, which is asked before the lock servers. */
    @Override
    public StoredKey inspect(String key) {
        return values.inspect(key);
    }

    @Override
    public LeaseNotifications.Watch watch(String key, LeaseNotifications.Listener listener) {
        return values.watch(key, listener);
    }

    @Override
    public boolean tellsChanges() {
        return values.tellsChanges();
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

    @Override
    public @Nullable String shortage() {
        return values.shortage();
    }

    @Override
    public long currentTimeMillis() {
        return values.currentTimeMillis();
    }
}
