package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.redlock.LockServers.LockStore;
import io.stampedeguard.store.SharedStore;
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

/** The steps of a {@link RedlockStore}, which documents them. <em>Thread-safe.</em> */
final class QuorumStore implements SharedStore {
    private static final Duration LEAST_DRIFT = Duration.ofMillis(2);
    private static final int DRIFT_SHARE = 100;
    private static final Logger LOG = LoggerFactory.getLogger(RedlockStore.class);

    private final SharedStore values;
    private final StoreParts parts;
    private final QuorumLocks locks;
    private final TimeSource time;

    QuorumStore(RedisStore values, List<RedisStore> servers, TimeSource time, Duration patience) {
        this.values = values.shared();
        this.parts = StoreParts.of(values);
        this.locks = new QuorumLocks(new LockServers(lockStores(servers), time, patience));
        this.time = time;
    }

    static List<LockStore> lockStores(List<RedisStore> servers) {
        return servers.stream()
                .map(store -> new LockStore(store.shared(), StoreParts.of(store)))
                .toList();
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
            CallbackLog.debug(
                    LOG, "Leases that were not granted could not be given back; they expire by themselves", unanswered);
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
     * that begins after the change. The store ensures that the result of a running load is not stored. A put with a fence may be
     * refused, and then ends no load: it releases the locks afterwards, and may cost a load that begins meanwhile its own.
     */
    @Override
    public boolean change(String key, Change change, Duration patience) {
        if (change instanceof Change.Put put && put.fence() != null) {
            boolean isMade = values.change(key, change, patience);
            if (isMade) {
                locks.end(key);
            }
            return isMade;
        }
        long until = time.monotonicNanos() + patience.toNanos();
        if (!(change instanceof Change.OfAll)) { // those of running loads end with them
            locks.end(key);
        }
        boolean isInTimeOnly = change instanceof Change.Put;
        return values.change(key, change, isInTimeOnly ? Duration.ofNanos(until - time.monotonicNanos()) : patience);
    }

    /** One request to the store for all keys, after one to the lock servers for each. */
    @Override
    public Map<String, Boolean> invalidate(Collection<String> keys, Duration patience) {
        keys.forEach(locks::end);
        return values.invalidate(keys, patience);
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

    /** {@return the ability of the store of the entries} */
    @Override
    public <T> @Nullable T ability(Class<T> type) {
        return values.ability(type);
    }

    @Override
    public long currentTimeMillis() {
        return values.currentTimeMillis();
    }
}
