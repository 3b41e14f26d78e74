package io.stampedeguard.testkit;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.Change;
import io.stampedeguard.store.FleetMembers;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseEnd;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoredKey;
import io.stampedeguard.store.Watch;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A store that behaves like another one, except for the faults that a test switches on: outages, errors, lost answers, latency.
 * <pre>{@code
 * FaultyStore store = FaultyStore.create(time);
 * store.beginOutage();                                   // nothing is answered, nobody is notified
 * store.endOutage();                                     // all is as before it
 * store.loseAnswers(Call.PUBLISH);                       // executed, but the caller does not learn of it
 * store.latency(Duration.ofMillis(200)).refuse(0.05);    // all calls slow, one in twenty fails
 * store.refuseChanges();                                 // full, or read-only: reads are answered
 * store.heal();                                          // no more faults
 * }</pre>
 *
 * <p>Faults can be changed at any time, and apply to requests that begin from then on. In a request for many keys, each key meets a
 * fault of its own; keys without an answer are missing from the result. Random faults depend on the {@link #seed}, which {@link
 * #toString} and the message of each fault contain.
 *
 * <p>Processes of a fleet share one store. To cut off one of them only, give each a {@code FaultyStore} of its own over the same
 * store. <em>Thread-safe.</em>
 */
public final class FaultyStore implements SharedStore {
    /** What a cache calls a store for. */
    public enum Call {
        /** Reading entries, also for diagnosis. */
        READ,
        /** Acquiring leases. */
        LEASE,
        /** Renewing leases. */
        RENEW,
        /** Publishing entries under leases, or extending them. */
        PUBLISH,
        /** Releasing leases without an entry, after a failure or not. */
        RELEASE,
        /** Storing an entry by {@code put}. */
        PUT,
        /** Invalidating a key. */
        INVALIDATE,
        /** Making an entry stale. */
        EXPIRE,
        /** Announcing a process of the fleet, or removing it. */
        ANNOUNCE
    }

    private final SharedStore store;
    private final Faults faults;
    private final Subscriptions subscriptions;

    private FaultyStore(SharedStore store, TimeSource time) {
        this.store = requireNonNull(store, "store");
        this.faults = new Faults(requireNonNull(time, "time"));
        this.subscriptions = new Subscriptions(faults);
    }

    /** {@return a new store without faults, over a new {@link InMemoryStore}, on the machine's clock} */
    public static FaultyStore create() {
        return create(TimeSource.system());
    }

    /**
     * {@return a new store without faults, over a new {@link InMemoryStore}}
     *
     * @param time the clock for entries, leases, and latencies, such as a {@link VirtualTime}
     */
    public static FaultyStore create(TimeSource time) {
        return over(InMemoryStore.create(time), time);
    }

    /**
     * {@return a new store without faults, over a given store} It notifies waiting callers, reports changes, and counts processes if that store does.
     *
     * @param store the store that executes the requests; not closed by this one
     * @param time the clock for latencies
     */
    public static FaultyStore over(CacheStore store, TimeSource time) {
        return new FaultyStore(store.shared(), time);
    }

    /**
     * Sets the seed of random faults, to repeat those of an earlier run: whether a request meets one depends only on the seed, the
     * call, the key, and the number of such requests since the seed was set. Initially random.
     *
     * @param seed the seed
     * @return this
     */
    public FaultyStore seed(long seed) {
        faults.seed(seed);
        return this;
    }

    /**
     * Begins an outage: until it ends, all requests fail without effect, and nobody is notified of anything. Entries and leases
     * stay as they are, and expire in the meantime. Together with a {@link #latency}, requests fail only after that time, as when a
     * server stalls and its client gives up.
     *
     * @return this
     */
    public FaultyStore beginOutage() {
        faults.outage(true);
        subscriptions.cut();
        return this;
    }

    /**
     * Ends the outage; other faults remain.
     *
     * @return this
     */
    public FaultyStore endOutage() {
        faults.outage(false);
        subscriptions.restore();
        return this;
    }

    /**
     * Makes calls fail without effect.
     *
     * @param calls which; all if none is named
     * @return this
     */
    public FaultyStore refuse(Call... calls) {
        return refuse(1, calls);
    }

    /**
     * Makes a random share of calls fail without effect.
     *
     * @param share the probability, from 0 to 1; 0 ends these faults
     * @param calls which; all if none is named
     * @return this
     * @throws IllegalArgumentException if the share is not a probability
     */
    public FaultyStore refuse(double share, Call... calls) {
        faults.refuse(share, calls);
        return this;
    }

    /**
     * Makes all calls that change something fail without effect, while reads are answered: like a server that is full or read-only.
     *
     * @return this
     */
    public FaultyStore refuseChanges() {
        return refuse(Call.LEASE, Call.RENEW, Call.PUBLISH, Call.RELEASE, Call.PUT, Call.INVALIDATE, Call.EXPIRE);
    }

    /**
     * Makes calls fail after they have taken effect.
     *
     * @param calls which; all if none is named
     * @return this
     */
    public FaultyStore loseAnswers(Call... calls) {
        return loseAnswers(1, calls);
    }

    /**
     * Makes a random share of calls fail after they have taken effect.
     *
     * @param share the probability, from 0 to 1, for requests that are not refused; 0 ends these faults
     * @param calls which; all if none is named
     * @return this
     * @throws IllegalArgumentException if the share is not a probability
     */
    public FaultyStore loseAnswers(double share, Call... calls) {
        faults.loseAnswers(share, calls);
        return this;
    }

    /**
     * Makes calls take time, on the clock of this store, before they take effect or fail. An interrupted caller gets a {@link
     * io.stampedeguard.store.StoreException}, without effect.
     *
     * @param length how long a request takes; zero ends the latency
     * @param calls which; all if none is named
     * @return this
     * @throws IllegalArgumentException if the length is negative
     */
    public FaultyStore latency(Duration length, Call... calls) {
        faults.latency(length, calls);
        return this;
    }

    /**
     * Removes all faults, and ends an outage.
     *
     * @return this
     */
    public FaultyStore heal() {
        faults.heal();
        return endOutage();
    }

    /**
     * {@return the number of requests so far, whatever became of them; each key of a request for many keys counts}
     *
     * @param calls of which calls; of all if none is named
     */
    public long requests(Call... calls) {
        return faults.requests(calls);
    }

    /** {@return the number of requests so far that met a fault other than latency; each key counts} */
    public long faults() {
        return faults.faults();
    }

    /** {@return the seed, the faults that are switched on, and the numbers of requests and faults so far} */
    @Override
    public String toString() {
        return faults.toString();
    }

    @Override
    public Duration patience() {
        return store.patience();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        return faults.<byte @Nullable []>one(Call.READ, key, () -> store.read(key, patience));
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        return faults.many(all(keys, Call.READ), key -> key, sent -> store.read(sent, patience));
    }

    @Override
    public StoredKey inspect(String key) {
        return faults.one(Call.READ, key, () -> store.inspect(key));
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        List<String> keys = requests.stream().map(LeaseRequest::key).toList();
        return faults.many(all(keys, Call.LEASE), key -> key, sent -> {
            List<LeaseRequest> some = requests.stream()
                    .filter(request -> sent.contains(request.key()))
                    .toList();
            return store.lease(some, ttl, patience);
        });
    }

    private static Map<String, Call> all(Collection<String> keys, Call call) {
        Map<String, Call> calls = new LinkedHashMap<>();
        keys.forEach(key -> calls.put(key, call));
        return calls;
    }

    /** One request, whichever leases it renews: it fails for all of them. */
    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        String keys = leases.stream().map(HeldLease::key).sorted().collect(Collectors.joining(", "));
        return faults.one(Call.RENEW, keys, () -> store.renew(leases, ttl));
    }

    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<HeldLease, Call> calls = new LinkedHashMap<>();
        ends.forEach((lease, end) -> calls.put(lease, callOf(end)));
        return faults.many(calls, HeldLease::key, sent -> {
            Map<HeldLease, LeaseEnd> some = new LinkedHashMap<>(ends);
            some.keySet().retainAll(sent);
            return store.end(some);
        });
    }

    private static Call callOf(LeaseEnd end) {
        return end instanceof LeaseEnd.Publish || end instanceof LeaseEnd.Extend ? Call.PUBLISH : Call.RELEASE;
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        return faults.one(callOf(change), key, () -> store.change(key, change, patience));
    }

    private static Call callOf(Change change) {
        if (change instanceof Change.Put) {
            return Call.PUT;
        }
        return change instanceof Change.Invalidate ? Call.INVALIDATE : Call.EXPIRE;
    }

    @Override
    public List<List<String>> groups(Collection<String> keys) {
        return store.groups(keys);
    }

    /** {@return the time of the store behind, also during an outage} */
    @Override
    public long currentTimeMillis() {
        return store.currentTimeMillis();
    }

    /** {@return the ability of the store behind; its circuit breaker is not affected by faults} */
    @Override
    public <T> @Nullable T ability(Class<T> type) {
        T behind = store.ability(type);
        Object faulty = behind;
        if (behind instanceof LeaseNotifications notifications && type == LeaseNotifications.class) {
            faulty = (LeaseNotifications) (key, listener) -> subscriptions.watch(notifications, key, listener);
        } else if (behind instanceof InvalidationEvents changes && type == InvalidationEvents.class) {
            faulty = new FaultyChanges(changes, subscriptions);
        } else if (behind instanceof FleetMembers fleet && type == FleetMembers.class) {
            faulty = new FaultyFleet(fleet, faults);
        }
        return type.cast(faulty);
    }

    private record FaultyChanges(InvalidationEvents changes, Subscriptions subscriptions)
            implements InvalidationEvents {
        @Override
        public Watch watchChanges(String cache, List<? extends Listener> listeners) {
            return subscriptions.watchChanges(changes, cache, listeners);
        }

        @Override
        public int parts() {
            return changes.parts();
        }

        @Override
        public int partOf(String key) {
            return changes.partOf(key);
        }
    }

    private record FaultyFleet(FleetMembers fleet, Faults faults) implements FleetMembers {
        @Override
        public Membership beat(String cache, String process, Duration ttl) {
            return faults.one(Call.ANNOUNCE, process, () -> fleet.beat(cache, process, ttl));
        }

        @Override
        public void leave(String cache, String process) {
            faults.one(Call.ANNOUNCE, process, () -> {
                fleet.leave(cache, process);
                return true;
            });
        }
    }
}
