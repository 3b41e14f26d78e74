package io.stampedeguard.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store that a fleet shares: one entry and at most one lease per key. It sees keys and bytes, never the wire format, the
 * policy, or the loader. All promises rest on two rules:
 * <ol>
 *   <li>Each method is <em>one</em> atomic step: no intermediate state is visible, no change happens between a check and its
 *       write.
 *   <li>A lease ends by itself, {@code ttl} after it was granted or renewed. Each change of the entry by any caller except its
 *       holder ({@link #put}, {@link #invalidate}, {@link #expire}) also ends it, and ends a cool-down as well.
 * </ol>
 *
 * <p>A store that can notify waiting callers also implements {@link LeaseNotifications}; a store that can report changes also
 * implements {@link InvalidationEvents}; a store that can count the processes of a fleet also implements {@link FleetMembers}.
 *
 * <p>Unless stated otherwise, methods may block for a network round trip, and throw a {@link StoreException} if the store does
 * not answer in time; methods for many keys, if it answers for none. A change may still have been made, or a lease granted.
 * Implementations are <em>thread-safe</em>, do not pin virtual threads, and pass the contract kit {@code SharedStoreContract}.
 */
public interface SharedStore {
    /**
     * {@return how long a caller without a deadline of its own can queue, for example for a connection; by default two seconds}
     * Sends nothing, does not block, and does not throw. A store that passes calls on to another one returns the patience of that
     * one.
     */
    default Duration patience() {
        return Duration.ofSeconds(2);
    }

    /**
     * {@return the entry of a key, as stored, or {@code null} if there is none; {@code null} or an empty array if the key holds
     * data of another program that is not even bytes} This is the path of a hit: one plain read.
     *
     * @param key the cache's name, a colon, and the key as text
     * @param patience how long the caller can queue before the request is sent; the answer may take the store's own timeout in
     *     addition
     * @throws StoreException if the store does not answer, or if the request was not sent within the patience ({@link
     *     StoreException#isShortage})
     */
    byte @Nullable [] read(String key, Duration patience);

    /**
     * {@return the entry of a key, for a caller without a deadline} Otherwise identical to {@link #read(String, Duration)}.
     *
     * @param key the key
     */
    default byte @Nullable [] read(String key) {
        return read(key, patience());
    }

    /**
     * Acquires the lease of a key, unless there is an entry that the caller has not seen, another attempt holds the lease, the
     * key cools down after a failed load, or its results are not stored. A lease lives no longer than its {@code ttl}, even if
     * the store's clock jumps.
     *
     * @param request the key, the identity of this attempt, and the entry that is of no use to the caller
     * @param ttl how long the lease lives unless it is released, at least 1 ms
     * @param patience how long the caller can queue, as for {@link #read(String, Duration)}
     * @return granted, found, held, failed, or not cacheable
     */
    LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience);

    /**
     * Acquires the lease of a key, for a caller without a deadline. Otherwise identical to {@link #lease(LeaseRequest, Duration,
     * Duration)}.
     *
     * @param key the key
     * @param token the identity of this attempt
     * @param seen the first bytes of the entry that is of no use to the caller (stale or damaged), or {@code null} if it saw
     *     none; an entry too short to begin with a token counts as none
     * @param ttl how long the lease lives unless it is released, at least 1 ms
     * @return granted, found, held, failed, or not cacheable
     */
    default LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        return lease(new LeaseRequest(key, token, seen), ttl, patience());
    }

    /**
     * Renews leases, each if and only if its token still holds it: it then lives for {@code ttl} from now. This is one atomic
     * step per lease, in one round trip if possible.
     *
     * @param leases the leases
     * @param ttl how long they live from now on unless they are released, at least 1 ms
     * @return the leases that their tokens no longer hold; these are lost for good
     * @throws StoreException if the store does not answer; some may still have been renewed
     */
    Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl);

    /**
     * Stores the entry and releases the lease, if and only if the token still holds it. May be called again if the answer was
     * lost: an entry that begins with the token counts as stored.
     *
     * @param key the key
     * @param token the token that was granted the lease
     * @param entry the bytes, beginning with the token; not to be modified afterwards
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @return whether the token's entry is stored; if not, nothing was changed
     */
    boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl);

    /**
     * Releases the lease without storing anything, if and only if the token still holds it.
     *
     * @param key the key
     * @param token the token that was granted the lease
     * @return whether the token held the lease
     */
    boolean abandon(String key, LeaseToken token);

    /**
     * Releases the lease after a failed load, if and only if the token still holds it. Until the cool-down is over, the lease is
     * not granted, and requests for it are answered with the failure.
     *
     * @param key the key
     * @param token the token that was granted the lease
     * @param failed the failure to store
     * @return whether the token held the lease; if not, nothing was changed
     */
    boolean fail(String key, LeaseToken token, FailedLoad failed);

    /**
     * Releases the lease after a load whose result is not stored, if and only if the token still holds it. Waiting callers
     * receive the result. Until the mark expires, the lease is not granted: requests for it are answered with "not cacheable".
     * {@link #put}, {@link #invalidate}, and {@link #expire} remove the mark.
     *
     * @param key the key
     * @param token the token that was granted the lease
     * @param result the result for waiting callers, the lifetime of the mark, and whether a stored entry is removed
     * @return whether the token held the lease; if not, nothing was changed
     */
    boolean pass(String key, LeaseToken token, UnstoredResult result);

    /**
     * Stores the entry, whether or not the lease is held, and ends the lease, so that a running load cannot overwrite it. This
     * takes effect during the call or never, also if its request is delayed on the way: otherwise it could bring back what another
     * process has removed meanwhile.
     *
     * @param key the key
     * @param entry the bytes, beginning with a token of their own; not to be modified afterwards
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @param patience how long the caller can wait, counted from now also while this process stands still; the entry is not stored
     *     after that
     * @return whether the entry was stored; {@code false} if it was too late, and nothing was changed
     * @throws StoreException if the store does not answer; the entry may be stored, but not after the exception
     */
    boolean put(String key, byte[] entry, Duration ttl, Duration patience);

    /**
     * Stores the entry and ends the lease, for a caller without a deadline. Otherwise identical to {@link #put(String, byte[],
     * Duration, Duration)}.
     *
     * @param key the key
     * @param entry the bytes, beginning with a token of their own; not to be modified afterwards
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @throws StoreException if the store does not answer, or if it was too late
     */
    default void put(String key, byte[] entry, Duration ttl) {
        if (!put(key, entry, ttl, patience())) {
            throw new StoreException("could not put an entry: the request took too long");
        }
    }

    /**
     * Removes the entry and ends the lease, so that the result of a running load is not stored.
     *
     * @param key the key
     * @param patience how long the caller can queue, as for {@link #read(String, Duration)}
     * @throws StoreException if the store does not answer, or if the request was not sent within the patience
     */
    void invalidate(String key, Duration patience);

    /**
     * Removes the entry and ends the lease, for a caller without a deadline. Otherwise identical to {@link #invalidate(String,
     * Duration)}.
     *
     * @param key the key
     */
    default void invalidate(String key) {
        invalidate(key, patience());
    }

    /**
     * Overwrites a few bytes of the entry in place without changing its lifetime, and ends the lease, so that the result of a
     * running load is not stored. If there is no entry of this length, only the lease ends.
     *
     * @param key the key
     * @param offset the position of the bytes
     * @param mark the bytes
     * @param patience how long the caller can queue, as for {@link #read(String, Duration)}
     * @throws StoreException if the store does not answer, or if the request was not sent within the patience
     */
    void expire(String key, int offset, byte[] mark, Duration patience);

    /**
     * Overwrites a few bytes of the entry, and ends the lease, for a caller without a deadline. Otherwise identical to {@link
     * #expire(String, int, byte[], Duration)}.
     *
     * @param key the key
     * @param offset the position of the bytes
     * @param mark the bytes
     */
    default void expire(String key, int offset, byte[] mark) {
        expire(key, offset, mark, patience());
    }

    /**
     * Overwrites the head of an entry in place, sets its lifetime, and ends the lease, if and only if the token still holds the
     * lease and the entry still begins with the seen token. If the token holds the lease but the entry is gone, the lease ends
     * nevertheless. May be called again if the answer was lost, like {@link #publish}.
     *
     * @param key the key
     * @param token the token that was granted the lease
     * @param seen the token with which the entry begins
     * @param head the new first bytes, beginning with the lease's token; not longer than the entry
     * @param ttl how long the store keeps the entry from now on, at least 1 ms
     * @return whether the entry now begins with the token; if not, no entry was changed
     */
    boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl);

    /**
     * {@return the stored bytes of each key for which the store answered, {@code null} if there are none; {@code null} or an
     * empty array for data of another program that is not even bytes} Each entry is read as by {@link #read}, in one round trip
     * if possible. Keys for which the store did not answer are missing from the result, so that a failing part of a store does
     * not affect others; this holds for all methods for many keys. Each step is atomic, all of them together are not. By
     * default, one key is read after another, each with the whole patience.
     *
     * @param keys the keys, each once
     * @param patience how long the caller can queue, as for {@link #read(String, Duration)}
     */
    default Map<String, byte @Nullable []> readAll(Collection<String> keys, Duration patience) {
        return OneByOne.ask(keys, key -> key, key -> read(key, patience));
    }

    /**
     * {@return the entries of many keys, for a caller without a deadline} Otherwise identical to {@link #readAll(Collection,
     * Duration)}.
     *
     * @param keys the keys, each once
     */
    default Map<String, byte @Nullable []> readAll(Collection<String> keys) {
        return readAll(keys, patience());
    }

    /**
     * Acquires the leases of many keys, each as {@link #lease} does, in one round trip if possible. By default, one lease is
     * requested after another, each with the whole patience.
     *
     * @param requests the requests, each key once
     * @param ttl how long the leases live unless they are released, at least 1 ms
     * @param patience how long the caller can queue, as for {@link #read(String, Duration)}
     * @return the answer for each key for which the store answered; leases of other keys may also have been granted
     */
    default Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        return OneByOne.ask(requests, LeaseRequest::key, request -> lease(request, ttl, patience));
    }

    /**
     * Acquires the leases of many keys, for a caller without a deadline. Otherwise identical to {@link #leaseAll(Collection,
     * Duration, Duration)}.
     *
     * @param requests the requests, each key once
     * @param ttl how long the leases live unless they are released, at least 1 ms
     * @return the answer for each key for which the store answered; leases of other keys may also have been granted
     */
    default Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl) {
        return leaseAll(requests, ttl, patience());
    }

    /**
     * Stores many entries and releases their leases, each as {@link #publish} does, in one round trip if possible.
     *
     * @param entries the entries, each key once
     * @return whether the entry was stored, for each key for which the store answered; others may also have been stored
     */
    default Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        return OneByOne.ask(
                entries,
                entry -> entry.lease().key(),
                entry -> publish(entry.lease().key(), entry.lease().token(), entry.entry(), entry.ttl()));
    }

    /**
     * Releases many leases without storing anything, each as {@link #abandon} does, in one round trip if possible.
     *
     * @param leases the leases, each key once
     * @return whether the token held the lease, for each key for which the store answered
     */
    default Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        return OneByOne.ask(leases, HeldLease::key, lease -> abandon(lease.key(), lease.token()));
    }

    /**
     * Releases many leases after a failed load, each as {@link #fail} does, in one round trip if possible.
     *
     * @param failed the leases, each key once, with the failure to store for each
     * @return whether the token held the lease, for each key for which the store answered
     */
    default Map<String, Boolean> failAll(Map<HeldLease, FailedLoad> failed) {
        return OneByOne.ask(failed.entrySet(), each -> each.getKey().key(), each -> {
            HeldLease lease = each.getKey();
            return fail(lease.key(), lease.token(), each.getValue());
        });
    }

    /**
     * Releases many leases after loads whose results are not stored, each as {@link #pass} does, in one round trip if possible.
     *
     * @param results the leases, each key once, and the result of each
     * @return whether the token held the lease, for each key for which the store answered
     */
    default Map<String, Boolean> passAll(Map<HeldLease, UnstoredResult> results) {
        return OneByOne.ask(results.entrySet(), each -> each.getKey().key(), each -> {
            HeldLease lease = each.getKey();
            return pass(lease.key(), lease.token(), each.getValue());
        });
    }

    /**
     * Divides keys into groups that fail independently of each other, such as those of the masters of a cluster. The groups that
     * answered last time come first. Sends nothing and does not block.
     *
     * @param keys the keys
     * @return the groups, each in the order of the keys; by default one group
     */
    default List<List<String>> groups(Collection<String> keys) {
        return List.of(List.copyOf(keys));
    }

    /**
     * {@return entry and lease as they are stored for a key, for diagnosis} Changes nothing. Entry and lease may be of slightly
     * different instants. By default, only the entry is reported.
     *
     * @param key the key
     */
    default StoredKey inspect(String key) {
        return new StoredKey(read(key), null, new LeaseState.Unknown());
    }

    /**
     * {@return the failure with which a read of a key would end at once, without being sent, as behind an open circuit breaker;
     * {@code null} if it would be sent} Callers check this before they read, so that the many reads during an outage throw no
     * exceptions. {@link StoreException#isUnsent} is true for it. Sends nothing and does not block. By default, each read is
     * sent.
     *
     * @param key the key
     */
    default @Nullable StoreException refusal(String key) {
        return null;
    }

    /**
     * {@return what the store is short of at the moment, such as connections, as text for an operator, with figures; {@code null}
     * if nothing is short, or if this is unknown} Does not block.
     */
    default @Nullable String shortage() {
        return null;
    }

    /**
     * {@return the time of the store's clock in milliseconds since the epoch, by which all processes of a fleet timestamp entries
     * and compute their age} Does not block for longer than a round trip, and never fails: without an answer, the last known
     * offset is used.
     */
    long currentTimeMillis();
}
