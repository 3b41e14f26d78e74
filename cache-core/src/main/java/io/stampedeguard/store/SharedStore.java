package io.stampedeguard.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store that a fleet shares: one entry and at most one lease for each key. It sees keys and bytes, never the wire
 * format, the policy or the loader. Two rules hold everything up:
 *
 * <ol>
 *   <li>each method is <em>one</em> atomic step: nobody sees it half done, and check and write are never apart;
 *   <li>a lease dies by itself, {@code ttl} after it was granted or renewed, and each change of the entry by somebody
 *       other than its holder ({@link #put}, {@link #invalidate}, {@link #expire}) ends it, and a cool-down as well.
 * </ol>
 *
 * <p>A store that can notify waiting callers implements {@link LeaseNotifications}, too, and one that can tell of changes {@link
 * InvalidationEvents}.
 *
 * <p>Each method may block for a network round trip and throws {@link StoreException} when the store does not answer in
 * time. Implementations are <em>thread-safe</em>, run on virtual threads without pinning them, and pass the contract
 * kit {@code SharedStoreContract}.
 */
public interface SharedStore {
    /**
     * Reads the entry of a key: the hit path, one plain read and nothing else.
     *
     * @param key the cache's name, a colon, and the key as text
     * @return the stored bytes, or {@code null} if there are none; something foreign under the key that is not even
     *     bytes is an empty array
     * @throws StoreException if the store does not answer
     */
    byte @Nullable [] read(String key);

    /**
     * Reads the entry of a key, as {@link #read(String)} does, for a caller with a deadline. A store whose callers may have to
     * queue before the question is sent, for a connection for instance, overrides this method.
     *
     * @param key the key
     * @param patience how long the caller can queue; the answer may take the store's own time-out in addition
     * @return the stored bytes, or {@code null} if there are none
     * @throws StoreException if the store does not answer, or was not asked within the patience ({@link
     *     StoreException#isShortage})
     */
    default byte @Nullable [] read(String key, Duration patience) {
        return read(key);
    }

    /**
     * Takes the lease of a key, unless there is an entry that the caller has not seen, somebody holds the lease, the key cools
     * down after a failed load, or its results are not stored. A lease lives no longer than its {@code ttl}, whatever the
     * store's clock does.
     *
     * @param key the key
     * @param token the name of this attempt
     * @param seen the first bytes of the entry that is no use to the caller (stale or damaged), or {@code null} if it
     *     saw none; an entry too short to begin with a token counts as none
     * @param ttl how long the lease lives if it is not given back, at least 1 ms
     * @return granted, found, held, failed or not cacheable
     * @throws StoreException if the store does not answer; the lease may have been granted all the same
     */
    LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl);

    /**
     * Takes the lease of a key, as {@link #lease(String, LeaseToken, LeaseToken, Duration)} does, for a caller with a deadline;
     * see {@link #read(String, Duration)}.
     *
     * @param request the key, the name of this attempt, and the entry that is no use to the caller
     * @param ttl how long the lease lives if it is not given back, at least 1 ms
     * @param patience how long the caller can queue
     * @return granted, found, held, failed or not cacheable
     * @throws StoreException if the store does not answer, or was not asked within the patience
     */
    default LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        return lease(request.key(), request.token(), request.seen(), ttl);
    }

    /**
     * Lets leases live on, each if and only if it is still its token's: {@code ttl} from now. Not one step but one for
     * each lease, all in one round trip where the store can.
     *
     * @param leases the leases
     * @param ttl how long they live from now on if they are not given back, at least 1 ms
     * @return those that are no longer their tokens'; they are lost for good
     * @throws StoreException if the store does not answer; some may have been renewed all the same
     */
    Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl);

    /**
     * Stores the entry and gives the lease back, if and only if the lease is still the token's. May be called again when the
     * answer was lost: an entry that begins with the token has been stored by it.
     *
     * @param key the key
     * @param token the token the lease was granted to
     * @param entry the bytes, beginning with the token; not to be changed afterwards
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @return whether the token's entry is stored; if not, nothing was changed
     * @throws StoreException if the store does not answer; the entry may have been stored all the same
     */
    boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl);

    /**
     * Releases the lease without storing anything, if and only if the token still holds it.
     *
     * @param key the key
     * @param token the token the lease was granted to
     * @return whether the lease was still the token's
     * @throws StoreException if the store does not answer
     */
    boolean abandon(String key, LeaseToken token);

    /**
     * Releases the lease after a failed load, if and only if the token still holds it. Until the cool-down is over, the lease is
     * granted to nobody, and requests for it are answered with the failure.
     *
     * @param key the key
     * @param token the token the lease was granted to
     * @param failed what is to be remembered
     * @return whether the lease was still the token's; if not, nothing was changed
     * @throws StoreException if the store does not answer; the failure may have been noted all the same
     */
    boolean fail(String key, LeaseToken token, FailedLoad failed);

    /**
     * Releases the lease after a load whose result is not stored, if and only if the token still holds it. Waiting callers receive
     * the result. Until the mark expires, the lease is granted to nobody: requests for it are answered with "not cacheable".
     * {@link #put}, {@link #invalidate} and {@link #expire} remove the mark.
     *
     * @param key the key
     * @param token the token the lease was granted to
     * @param result the result for waiting callers, for how long the mark stays, and whether a stored entry is removed
     * @return whether the lease was still the token's; if not, nothing was changed
     * @throws StoreException if the store does not answer; it may have been done all the same
     */
    boolean pass(String key, LeaseToken token, UnstoredResult result);

    /**
     * Stores the entry, whoever holds the lease, and ends the lease, so that a load in flight is not stored over it.
     *
     * @param key the key
     * @param entry the bytes, beginning with a token of their own; not to be changed afterwards
     * @param ttl how long the store keeps the entry, at least 1 ms
     * @throws StoreException if the store does not answer; the entry may have been stored all the same
     */
    void put(String key, byte[] entry, Duration ttl);

    /**
     * Removes the entry and ends the lease, so that a load in flight is not stored after it.
     *
     * @param key the key
     * @throws StoreException if the store does not answer; the entry may have been removed all the same
     */
    void invalidate(String key);

    /**
     * Overwrites a few bytes of the entry in place, leaving its life time as it is, and ends the lease, so that a load
     * in flight is not stored after it. Without an entry that reaches that far, only the lease ends.
     *
     * @param key the key
     * @param offset where the bytes go
     * @param mark the bytes
     * @throws StoreException if the store does not answer; the entry may have been changed all the same
     */
    void expire(String key, int offset, byte[] mark);

    /**
     * Overwrites the head of an entry in place, gives it another life time and ends the lease, if and only if the lease is
     * still the token's and the entry still begins with the seen token. Where the lease is the token's but the entry is
     * gone, the lease ends all the same. May be called again when the answer was lost, as {@link #publish}.
     *
     * @param key the key
     * @param token the token the lease was granted to
     * @param seen the token with which the entry begins
     * @param head what to overwrite it with from its beginning on, beginning with the lease's token; no longer than the
     *     entry
     * @param ttl how long the store keeps the entry from now on, at least 1 ms
     * @return whether the entry begins with the token now; if not, no entry was changed
     * @throws StoreException if the store does not answer; the entry may have been extended all the same
     */
    boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl);

    /**
     * Reads the entries of many keys, each as {@link #read} does, in one round trip where the store can. So that one
     * part of a store that does not answer does not fail the others, the keys it did not answer for are missing; this
     * holds for the other methods for many keys as well. Each step is atomic, all of them together are not.
     *
     * @param keys the keys, each once
     * @return what is stored under each key that the store answered for, {@code null} for nothing; something foreign that
     *     is not even bytes is nothing, or an empty array
     * @throws StoreException if the store answers for none of the keys
     */
    default Map<String, byte @Nullable []> readAll(Collection<String> keys) {
        return OneByOne.ask(keys, key -> key, this::read);
    }

    /**
     * Reads the entries of many keys, as {@link #readAll(Collection)} does, for a caller with a deadline; see {@link
     * #read(String, Duration)}.
     *
     * @param keys the keys, each once
     * @param patience how long the caller can queue
     * @return what is stored under each key that the store answered for, {@code null} for nothing
     * @throws StoreException if the store answers for none of the keys, or was not asked within the patience
     */
    default Map<String, byte @Nullable []> readAll(Collection<String> keys, Duration patience) {
        return readAll(keys);
    }

    /**
     * Takes the leases of many keys, each as {@link #lease} does, in one round trip where the store can.
     *
     * @param requests whose leases, each key once
     * @param ttl how long the leases live if they are not given back, at least 1 ms
     * @return the answer for each key that the store answered for; of the others, too, the lease may have been granted
     * @throws StoreException if the store answers for none of the keys; leases may have been granted all the same
     */
    default Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl) {
        return OneByOne.ask(
                requests, LeaseRequest::key, request -> lease(request.key(), request.token(), request.seen(), ttl));
    }

    /**
     * Takes the leases of many keys, as {@link #leaseAll(Collection, Duration)} does, for a caller with a deadline; see {@link
     * #read(String, Duration)}.
     *
     * @param requests whose leases, each key once
     * @param ttl how long the leases live if they are not given back, at least 1 ms
     * @param patience how long the caller can queue
     * @return the answer for each key that the store answered for
     * @throws StoreException if the store answers for none of the keys, or was not asked within the patience
     */
    default Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        return leaseAll(requests, ttl);
    }

    /**
     * Stores many entries and gives their leases back, each as {@link #publish} does, in one round trip where the store
     * can.
     *
     * @param entries the entries, each key once
     * @return whether it was stored, for each key that the store answered for; of the others, too, it may have been
     * @throws StoreException if the store answers for none of the keys; entries may have been stored all the same
     */
    default Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        return OneByOne.ask(
                entries,
                entry -> entry.lease().key(),
                entry -> publish(entry.lease().key(), entry.lease().token(), entry.entry(), entry.ttl()));
    }

    /**
     * Releases many leases without storing anything, each as {@link #abandon} does, in one round trip where the store can.
     *
     * @param leases the leases, each key once
     * @return whether the lease was still the token's, for each key that the store answered for
     * @throws StoreException if the store answers for none of the keys
     */
    default Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        return OneByOne.ask(leases, HeldLease::key, lease -> abandon(lease.key(), lease.token()));
    }

    /**
     * Releases many leases after a failed load, each as {@link #fail} does, in one round trip where the store can.
     *
     * @param failed the leases, each key once, and what is to be remembered of each
     * @return whether the lease was still the token's, for each key that the store answered for
     * @throws StoreException if the store answers for none of the keys; failures may have been noted all the same
     */
    default Map<String, Boolean> failAll(Map<HeldLease, FailedLoad> failed) {
        return OneByOne.ask(failed.entrySet(), each -> each.getKey().key(), each -> {
            HeldLease lease = each.getKey();
            return fail(lease.key(), lease.token(), each.getValue());
        });
    }

    /**
     * Releases many leases after loads whose results are not stored, each as {@link #pass} does, in one round trip where the
     * store can.
     *
     * @param results the leases, each key once, and the result of each
     * @return whether the lease was still the token's, for each key that the store answered for
     * @throws StoreException if the store answers for none of the keys; it may have been done all the same
     */
    default Map<String, Boolean> passAll(Map<HeldLease, UnstoredResult> results) {
        return OneByOne.ask(results.entrySet(), each -> each.getKey().key(), each -> {
            HeldLease lease = each.getKey();
            return pass(lease.key(), lease.token(), each.getValue());
        });
    }

    /**
     * Divides keys into groups that fail independently of each other, such as those of the masters of a cluster; the groups
     * that answered last time come first. Sends nothing and does not block.
     *
     * @param keys the keys
     * @return the groups, each in the order of the keys; by default, one
     */
    default List<List<String>> groups(Collection<String> keys) {
        return List.of(List.copyOf(keys));
    }

    /**
     * Returns all that is there of a key, for people who look into it, and changes nothing. Entry and lease need not be of
     * the same instant. By default, the entry only.
     *
     * @param key the key
     * @return entry and lease
     * @throws StoreException if the store does not answer
     */
    default StoredKey inspect(String key) {
        return new StoredKey(read(key), null, new LeaseState.Unknown());
    }

    /**
     * Returns what the store is short of at the moment, such as connections, in words for an operator. Does not block.
     *
     * @return what there is none left of, with figures; {@code null} if there is enough, or nobody knows
     */
    default @Nullable String shortage() {
        return null;
    }

    /**
     * Returns the store's clock, by which all members of a fleet stamp and judge entries. Does not block for longer than
     * a round trip, and never fails: without an answer it goes by what was last known.
     *
     * @return milliseconds since the epoch
     */
    long currentTimeMillis();
}
