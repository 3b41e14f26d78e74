package io.stampedeguard.store;

import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.loader.StoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store that a fleet shares: one entry and at most one lease per key. It sees keys and bytes, never the wire format, the
 * policy, or the loader. All promises rest on two rules:
 * <ol>
 *   <li>Each step for one key is <em>atomic</em>: no intermediate state is visible, no change happens between a check and its
 *       write.
 *   <li>A lease ends by itself, {@code ttl} after it was granted or renewed. Each {@link Change} of the entry, by any caller,
 *       also ends it, and ends a cool-down as well.
 * </ol>
 *
 * <p>Methods for a set of keys make one step for each key, in one round trip if possible; all of them together are not atomic.
 * Keys for which the store did not answer are missing from the result, so that a failing part of a store does not affect others. A
 * set of one key is the usual case, and should cost no more than that key.
 *
 * <p>A store may have optional abilities ({@link #ability}): to notify waiting callers ({@link LeaseNotifications}), to report
 * changes ({@link InvalidationEvents}), to count the processes of a fleet ({@link FleetMembers}), a circuit breaker ({@link
 * BreakerEvents}), changes of all entries of a cache that leave them where they are ({@link Marks.Keeper}), and to remember when
 * keys were changed ({@link ChangeMemory}).
 *
 * <p>Unless stated otherwise, methods may block for a network round trip, and throw a {@link StoreException} if the store does
 * not answer in time; methods for a set, if it answers for no key. A change may still have been made, or a lease granted.
 * {@code patience} is how long the caller can queue before the request is sent; the answer may take the store's own timeout in
 * addition. Implementations are <em>thread-safe</em>, do not pin virtual threads, and pass the contract kit {@code
 * SharedStoreContract}.
 */
@SuppressWarnings("exports") // what the verbs take and return is the business of the cache and its stores
public interface SharedStore extends CacheStore {
    /** {@return this store} */
    @Override
    default SharedStore shared() {
        return this;
    }

    /**
     * {@return the entry of a key, as stored, or {@code null} if there is none; {@code null} or an empty array if the key holds
     * data of another program that is not even bytes} This is the path of a hit: one plain read.
     *
     * @param key the cache's name, a colon, and the key as text
     * @param patience how long the caller can queue
     * @throws StoreException if the store does not answer, or if the request was not sent within the patience ({@link
     *     StoreException#isShortage})
     */
    byte @Nullable [] read(String key, Duration patience);

    /**
     * {@return the stored bytes of each key for which the store answered, each as by {@link #read(String, Duration)}}
     *
     * @param keys the keys, each once
     * @param patience how long the caller can queue
     */
    Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience);

    /**
     * Acquires leases, each unless there is an entry that the caller has not seen, another attempt holds the lease, the key cools
     * down after a failed load, or its results are not stored. A lease lives no longer than its {@code ttl}, even if the store's
     * clock jumps.
     *
     * <p>A request {@linkplain LeaseRequest#isForFence for a fence} is answered with <em>found</em> under the same condition, and
     * otherwise with a fence. A fence keeps nobody from the lease, and ends with each change of the key, with each grant of its
     * lease, or after its {@code ttl}, counted from the last request for it; the store may end it earlier.
     *
     * @param requests the keys, all of one cache, each once, with the identity of the attempt, and the entry that is of no use to the caller
     * @param ttl how long the leases live unless they are ended, at least 1 ms
     * @param patience how long the caller can queue
     * @return granted, found, held, failed, not cacheable, or a fence, for each key for which the store answered; leases of other keys may
     *     also have been granted
     */
    Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience);

    /**
     * Renews leases, each if and only if its token still holds it: it then lives for {@code ttl} from now.
     *
     * @param leases the leases
     * @param ttl how long they live from now on unless they are ended, at least 1 ms
     * @return the leases that their tokens no longer hold; these are lost for good
     * @throws StoreException if the store does not answer for all of them; some may still have been renewed
     */
    Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl);

    /**
     * Ends leases, each in its own way, if and only if its token still holds it. Callers have no deadline: they queue for as long
     * as {@link #patience}.
     *
     * @param ends the leases, each key once, and how each ends
     * @return whether the end was made, for each lease for which the store answered; others may also have been ended
     */
    Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends);

    /**
     * Changes an entry, or all of a cache, whether or not the lease is held, and ends the lease.
     *
     * @param key the key; for a {@link Change.OfAll} the cache's name
     * @param change what is done with the entry
     * @param patience how long the caller can queue; for a {@link Change.Put} how long it can wait, counted from now also while
     *     this process stands still: the entry is not stored after that
     * @return whether the change was made; {@code false} for a put that was too late, or whose {@linkplain Change.Put#fence fence}
     *     has ended, and that has changed nothing
     * @throws StoreException if the store does not answer, or if the request was not sent within the patience; the change may
     *     have been made, but a put takes no effect after the exception
     */
    boolean change(String key, Change change, Duration patience);

    /**
     * Removes the entries of many keys, each as by a {@link Change.Invalidate}; by default one after another.
     *
     * @param keys the keys, each once
     * @param patience how long the caller can queue
     * @return {@code true} for each key for which the store answered; others may also have been removed
     */
    default Map<String, Boolean> invalidate(Collection<String> keys, Duration patience) {
        Map<String, Boolean> answers = new HashMap<>();
        for (String key : keys) {
            answers.put(key, change(key, new Change.Invalidate(), patience));
        }
        return answers;
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
        return new StoredKey(read(key, patience()), null, null);
    }

    /**
     * {@return how long a caller without a deadline of its own can queue, for example for a connection; by default two seconds}
     * Sends nothing, does not block, and does not throw. A store that passes calls on to another one returns the patience of that
     * one.
     */
    default Duration patience() {
        return Duration.ofSeconds(2);
    }

    /**
     * {@return the time of the store's clock in milliseconds since the epoch, by which all processes of a fleet timestamp entries
     * and compute their age} Does not block for longer than a round trip, and never fails: without an answer, the last known
     * offset is used.
     */
    long currentTimeMillis();

    /**
     * {@return an optional ability of this store; {@code null} if it does not have it} By default, this
     * store, if it implements the interface. A store over another one has the abilities of that one, unless it has its own.
     *
     * @param type the interface: {@link LeaseNotifications}, {@link InvalidationEvents}, {@link FleetMembers}, {@link
     *     BreakerEvents}, {@link Marks.Keeper}, or {@link ChangeMemory}
     * @param <T> the interface
     */
    default <T> @Nullable T ability(Class<T> type) {
        return type.isInstance(this) ? type.cast(this) : null;
    }
}
