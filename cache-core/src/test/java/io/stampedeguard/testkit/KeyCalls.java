package io.stampedeguard.testkit;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of a store as tests make them: for one key, and without a deadline. <em>Thread-safe</em>, if the store is. */
public record KeyCalls(SharedStore store) {
    public static KeyCalls on(CacheStore store) {
        return new KeyCalls(store.shared());
    }

    public byte @Nullable [] read(String key) {
        return store.read(key, store.patience());
    }

    public Map<String, byte @Nullable []> readAll(Collection<String> keys) {
        return store.read(keys, store.patience());
    }

    public LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        return lease(new LeaseRequest(key, token, seen), ttl, store.patience());
    }

    public LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        return requireNonNull(store.lease(List.of(request), ttl, patience).get(request.key()));
    }

    /** Requests a fence; returns it, or the entry in its place. */
    public LeaseAttempt fence(String key, @Nullable LeaseToken seen, Duration ttl) {
        return lease(new LeaseRequest(key, LeaseToken.next(), seen, true), ttl, store.patience());
    }

    public Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl) {
        return store.lease(requests, ttl, store.patience());
    }

    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        return end(key, token, new LeaseEnd.Publish(entry, ttl));
    }

    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        return end(key, token, new LeaseEnd.Extend(seen, head, ttl, List.of()));
    }

    public boolean abandon(String key, LeaseToken token) {
        return end(key, token, new LeaseEnd.Abandon());
    }

    public boolean fail(String key, LeaseToken token, LeaseEnd.Fail failed) {
        return end(key, token, failed);
    }

    public boolean pass(String key, LeaseToken token, LeaseEnd.Pass passed) {
        return end(key, token, passed);
    }

    private boolean end(String key, LeaseToken token, LeaseEnd end) {
        HeldLease lease = new HeldLease(key, token);
        return requireNonNull(store.end(Map.of(lease, end)).get(lease));
    }

    /** Ends leases, each in its own way; returns what the store answered for each key. */
    public Map<String, Boolean> endAll(Collection<HeldLease> leases, Function<HeldLease, LeaseEnd> endOf) {
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>();
        leases.forEach(lease -> ends.put(lease, endOf.apply(lease)));
        return endAll(ends);
    }

    public Map<String, Boolean> endAll(Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<String, Boolean> made = new HashMap<>();
        store.end(ends).forEach((lease, isMade) -> made.put(lease.key(), isMade));
        return made;
    }

    public Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        return endAll(leases, lease -> new LeaseEnd.Abandon());
    }

    public void put(String key, byte[] entry, Duration ttl) {
        if (!put(key, entry, ttl, store.patience())) {
            throw new StoreException("could not put an entry: the request took too long");
        }
    }

    public boolean put(String key, byte[] entry, Duration ttl, Duration patience) {
        return store.change(key, new Change.Put(entry, ttl, Entry.STAMP_OFFSET, null, List.of()), patience);
    }

    /** Stores an entry if a fence holds; returns whether it did. */
    public boolean put(byte[] entry, Duration ttl, KeyFence fence) {
        return store.change(
                fence.key(),
                new Change.Put(entry, ttl, Entry.STAMP_OFFSET, fence.fence(), List.of()),
                store.patience());
    }

    public void invalidate(String key) {
        invalidate(key, store.patience());
    }

    public void invalidate(String key, Duration patience) {
        store.change(key, new Change.Invalidate(), patience);
    }

    public void expire(String key, int offset, byte[] mark) {
        expire(key, offset, mark, store.patience());
    }

    public void expire(String key, int offset, byte[] mark, Duration patience) {
        store.change(key, new Change.Expire(offset, mark), patience);
    }

    /** Returns the ability of a store to notify waiting callers. */
    public static LeaseNotifications notifications(CacheStore store) {
        return requireNonNull(store.shared().ability(LeaseNotifications.class));
    }

    /** Returns the ability of a store to report changes. */
    public static InvalidationEvents changes(CacheStore store) {
        return requireNonNull(store.shared().ability(InvalidationEvents.class));
    }

    /** Returns the circuit breaker of a store. */
    public static BreakerEvents breaker(CacheStore store) {
        return requireNonNull(store.shared().ability(BreakerEvents.class));
    }

    /** Returns the ability of a store to count the processes of a fleet. */
    public static FleetMembers members(CacheStore store) {
        return requireNonNull(store.shared().ability(FleetMembers.class));
    }
}
