package io.stampedeguard.internal.lease;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One key of one call, from the lookup that had no answer to the answer: what was seen of it, the flight of those who wait, and, for
 * a leader, the next request for its lease, and the lease. For one thread at a time: the caller's, and in {@link Phase#LOAD} the
 * one that runs the load; one that cuts the load off, or publishes what was left to it, only reads what nobody writes then.
 */
public final class KeyRequest<K, V> {
    /** What is to be done for a key next, and what may come after that. */
    public enum Phase {
        /** Join its flight: {@code LEASE}, {@code FOLLOW}. */
        JOIN,

        /** Wait for the flight of another caller: {@code DONE}, {@code READ}. */
        FOLLOW,

        /** Request its lease: {@code LOAD}, {@code WAIT}, {@code DONE}, {@code READ}; or once more, if what was found is of no use. */
        LEASE,

        /** Wait for the process that holds its lease, if all others wait too: {@code LEASE}, {@code DONE}, {@code READ}. */
        WAIT,

        /** Invoke the loader, and publish its result: {@code DONE}; or {@code LEASE}, if the lease was lost before. */
        LOAD,

        /** Read it again, as it was not pursued while others were loaded, or its flight had no result: {@code JOIN}, {@code DONE}. */
        READ,

        /** It has an answer, or a failure. */
        DONE
    }

    private final K key;
    private final String storeKey;
    private final boolean reloads;
    private Lookup<K, V> lookup;
    private Phase phase = Phase.JOIN;
    private @Nullable Membership<LoadResult<V>> membership;
    private @Nullable Flight<LoadResult<V>> flight;
    private @Nullable LeaseToken seen;
    private @Nullable LeaseToken token;
    private boolean keepsEntry;
    private boolean isUnread;
    private int unanswered;
    private boolean refused;
    private boolean isAnswered;
    private @Nullable HeldLease lease;
    private boolean isGranted;
    private long askedNanos;
    private int failuresBefore;
    private long stamp;
    private @Nullable LeaseAttempt instead;
    private boolean wasHeld;
    private @Nullable LeaseToken firstHolder;
    private boolean hasWaited;
    private boolean isCounted;
    private @Nullable LoadResult<V> result;
    private @Nullable WaitTimeoutException timeout;

    /** Creates the request of a key that a lookup has not answered; if it {@code reloads}, only a load from now on answers it. */
    public KeyRequest(Lookup<K, V> lookup, boolean reloads) {
        this.reloads = reloads;
        this.key = lookup.key();
        this.storeKey = lookup.storeKey();
        this.lookup = lookup;
    }

    /** Returns the requests of keys. */
    public static <K, V> List<KeyRequest<K, V>> of(List<Lookup<K, V>> lookups, boolean reload) {
        List<KeyRequest<K, V>> requests = new ArrayList<>(lookups.size());
        for (Lookup<K, V> lookup : lookups) {
            requests.add(new KeyRequest<>(lookup, reload));
        }
        return requests;
    }

    /** Returns those that are in a phase, in their order. */
    public static <K, V> List<KeyRequest<K, V>> in(Phase phase, List<KeyRequest<K, V>> all) {
        List<KeyRequest<K, V>> some = new ArrayList<>(all.size());
        for (KeyRequest<K, V> each : all) {
            if (each.phase == phase) {
                some.add(each);
            }
        }
        return some;
    }

    /** Returns the leases that are held, or may be. */
    public static <K, V> List<HeldLease> leasesOf(List<KeyRequest<K, V>> all) {
        List<HeldLease> leases = new ArrayList<>(all.size());
        for (KeyRequest<K, V> each : all) {
            if (each.lease != null) {
                leases.add(each.lease);
            }
        }
        return leases;
    }

    /** Notes that the call is a member of the flight of its key: it leads it, or follows another caller. */
    public void join(Membership<LoadResult<V>> joined) {
        membership = joined;
        flight = joined.flight();
        if (joined.leads()) {
            phase = Phase.LEASE;
            if (lookup.storeAnswers()) { // otherwise what was seen before is what is known
                if (seen == null || !reloads) { // what was stored since may answer a reload, and has to be found
                    seen = lookup.seen();
                }
                keepsEntry = lookup.keepsEntry();
            }
            isUnread = !lookup.isRead();
            token = null;
            assume(null);
            refused = false;
            hasWaited = false;
            unanswered = lookup.storeAnswers() && !isUnread
                    ? 0
                    : 1; // a lookup, or a request that is one: a read comes after it
        } else {
            phase = Phase.FOLLOW;
        }
    }

    /** Otherwise identical to {@link #join}, for a key that nobody waits for: one request without an answer is the last. */
    public KeyRequest<K, V> leadInBackground(Membership<LoadResult<V>> joined) {
        join(joined);
        unanswered = 1;
        return this;
    }

    /** Returns whether its lease is to be requested, now or after a wait. */
    public boolean isOpen() {
        return phase == Phase.LEASE || phase == Phase.WAIT;
    }

    /** Begins an attempt with a request for its lease, before the store is asked. */
    public void beginRequest() {
        Flight<LoadResult<V>> led = flight();
        phase = Phase.LEASE;
        led.beginAttempt();
        if (lookup.storeAnswers() && lookup.stored() == null && !keepsEntry) {
            led.beginMiss();
        }
    }

    public Phase phase() {
        return phase;
    }

    public void become(Phase next) {
        phase = next;
    }

    public Lookup<K, V> lookup() {
        return lookup;
    }

    /** Replaces the lookup, by one with the ticket of a load whose value the store will not take. */
    public void lookup(Lookup<K, V> other) {
        lookup = other;
    }

    /** Notes that its time is over: it is read once more, and if that is no answer, this is its failure. */
    public void noteTimeout(WaitTimeoutException e) {
        phase = Phase.READ;
        timeout = e;
    }

    /** Returns why no time is left for it; {@code null} if there is some. */
    public @Nullable WaitTimeoutException timeout() {
        return timeout;
    }

    /** Notes that another read had no answer either: its flight is to be joined. */
    public void lookedUpAgain(Lookup<K, V> other) {
        lookup = other;
        phase = Phase.JOIN;
    }

    public K key() {
        return key;
    }

    public String storeKey() {
        return storeKey;
    }

    public Membership<LoadResult<V>> membership() {
        return requireNonNull(membership);
    }

    public Flight<LoadResult<V>> flight() {
        return requireNonNull(flight);
    }

    /** Returns whether only a load that begins after this request was created answers it, and nothing that is cached. */
    public boolean reloads() {
        return reloads;
    }

    /**
     * Returns whether the store's answer in place of a lease answers this request. If it reloads, an entry must be by another holder
     * of the lease than the first that was named: that one's lease was granted later, and its load began later still.
     */
    public boolean takes(LeaseAttempt answer) {
        if (!reloads || !(answer instanceof LeaseAttempt.Found found)) {
            return true;
        }
        LeaseToken publisher = LeaseToken.startOf(found.stored());
        return firstHolder != null && !firstHolder.equals(publisher) && !Objects.equals(seen, publisher);
    }

    /** Returns whether the next answer to a request for its lease is its first read. */
    public boolean isUnread() {
        return isUnread;
    }

    LeaseRequest request() {
        return new LeaseRequest(storeKey, token(), seen);
    }

    /** Returns the token of the last request. */
    LeaseToken token() {
        LeaseToken present = token;
        if (present == null) {
            present = LeaseToken.next();
            token = present;
        }
        return present;
    }

    /** Notes an entry that is of no use here. */
    public void noteSeen(@Nullable LeaseToken other, boolean isForOthers) {
        seen = other;
        keepsEntry = isForOthers;
    }

    /** Notes whether the store has refused the last request for the lease, or not answered it. */
    void unanswered(boolean isRefused) {
        refused = isRefused;
    }

    /** Returns whether the store has refused the last request for the lease, although it answers. */
    public boolean isRefused() {
        return refused;
    }

    /**
     * Takes the store's answer to the last request, which was sent at that time or later: a lease, what replaces a load, or neither
     * if results are not stored.
     */
    void answered(LeaseAttempt answer, long askedNanos) {
        unanswered = 0;
        refused = false;
        assume(null);
        isAnswered = true;
        if (answer instanceof LeaseAttempt.Granted granted) {
            lease = new HeldLease(storeKey, token());
            isGranted = true;
            failuresBefore = granted.failuresBefore();
            this.askedNanos = askedNanos;
        } else if (!(answer instanceof LeaseAttempt.NotCacheable)) {
            instead = answer;
        }
    }

    /** Takes what is assumed in place of the store's answer; {@code null} if nothing is, or the store is yet to be asked. */
    void assume(@Nullable LeaseAttempt assumed) {
        isAnswered = false;
        lease = null;
        isGranted = false;
        instead = assumed;
    }

    /** Notes that the store may have granted the last request, which it has not answered. */
    void noteUncertainLease() {
        assume(null);
        lease = new HeldLease(storeKey, token());
    }

    /** Notes a request without an answer; returns how many in a row there were, a lookup included. */
    int countUnanswered() {
        return ++unanswered;
    }

    /**
     * Prepares another request after one that may still reach the store: under another token, since a lease that is granted so
     * late must not pass for the one that is granted next. Returns what may be held until it is given back.
     */
    HeldLease renewToken() {
        HeldLease left = new HeldLease(storeKey, token());
        token = null;
        return left;
    }

    /** Notes that the key was read by a request for its lease. */
    public void noteRead() {
        isUnread = false;
    }

    /** Notes that another process holds the lease, as the answer says. */
    public void becomeHeld() {
        phase = Phase.WAIT;
        wasHeld = true;
        if (firstHolder == null && isAnswered) {
            firstHolder = held().holder();
        }
    }

    /** Returns the answer that has named the holder of the lease; valid while the key waits. */
    public LeaseAttempt.Held held() {
        return (LeaseAttempt.Held) requireNonNull(instead);
    }

    /** Returns whether another process held the lease when it was requested before, in this call. */
    public boolean wasHeld() {
        return wasHeld;
    }

    /** Notes that this call begins to wait for the holder. */
    public void noteWait() {
        hasWaited = true;
    }

    /** Counts this call as one that waits for another process; returns false if it was counted before. */
    public boolean countAsWaiting() {
        boolean isFirst = !isCounted;
        isCounted = true;
        return isFirst;
    }

    /** Returns whether this leader has waited for another process. */
    public boolean hasWaited() {
        return hasWaited;
    }

    /** Returns whether the store has answered the last request for its lease; otherwise an answer may be assumed. */
    public boolean isAnswered() {
        return isAnswered;
    }

    /** Returns the answer to the last request for its lease that replaces a load; {@code null} if it is to be loaded. */
    public @Nullable LeaseAttempt instead() {
        return instead;
    }

    /** Returns why it is to be loaded without a lease; {@code null} if it is not. */
    public @Nullable EventType unleased() {
        if (instead != null || isGranted) {
            return null;
        }
        if (isAnswered) {
            return EventType.UNLEASED_NOT_CACHEABLE;
        }
        if (lease == null) {
            return EventType.UNLEASED_STORE_DOWN;
        }
        return refused ? EventType.UNLEASED_REFUSED : EventType.UNLEASED_UNANSWERED;
    }

    /**
     * Returns the lease under which it is loaded, which the store has granted, or may have granted without an answer; {@code null} if
     * the store is known to be down, or results are not stored.
     */
    public @Nullable HeldLease lease() {
        return lease;
    }

    /** Returns the lease that the store has granted for certain; {@code null} if there is none. */
    public @Nullable HeldLease certainLease() {
        return isGranted ? lease : null;
    }

    /** Returns when the store was asked for the lease that it has granted, by the monotonic clock; the lease is no older. */
    public long askedNanos() {
        return askedNanos;
    }

    /** Returns whether the store may have granted the lease, without an answer. */
    public boolean isLeaseUncertain() {
        return lease != null && !isGranted;
    }

    /** Returns how many loads in a row had failed before the lease was granted, as the store knows. */
    int failuresBefore() {
        return failuresBefore;
    }

    /** Returns whether the entry that is there is of use to others and must stay. */
    public boolean keepsEntry() {
        return keepsEntry;
    }

    /** Notes the stamp of the load that begins. */
    public void stamp(long generation) {
        stamp = generation;
    }

    /** Returns the stamp of the load. */
    public long stamp() {
        return stamp;
    }

    /** Notes the result of the load. */
    public void loaded(LoadResult<V> outcome) {
        result = outcome;
    }

    /** Returns the result of the load; valid after {@link #loaded}. */
    public LoadResult<V> result() {
        return requireNonNull(result);
    }
}
