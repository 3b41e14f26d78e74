package io.stampedeguard.testkit;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;

/**
 * A store that behaves like another one, except for the faults that a test switches on: outages, errors, lost answers, latency.
 * <pre>{@code
 * FaultyStore store = FaultyStore.create(time);
 * store.beginOutage();                                   // nothing is answered, nobody is notified
 * store.endOutage();                                     // all is as before it
 * store.loseAnswers(Call.PUBLISH);                       // executed, but the caller does not learn of it
 * store.latency(Duration.ofMillis(200)).refuse(0.05);    // all calls slow, one in twenty fails
 * store.refuseChanges();                                 // full, or read-only: reads are answered
 * store.ignoreChanges();                                 // writes are paused: reads are answered, nothing else is
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
public final class FaultyStore implements CacheStore {
    /** What a cache calls a store for. */
    public enum Call {
        /** Reading entries, also for diagnosis. */
        READ,
        /** Acquiring leases, or fences for look-ups. */
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

    private final SharedStore shared;
    private final Faults faults;
    private final Subscriptions subscriptions;

    private FaultyStore(SharedStore store, TimeSource time) {
        this.faults = new Faults(requireNonNull(time, "time"));
        this.subscriptions = new Subscriptions(faults);
        this.shared = new FaultyCalls(requireNonNull(store, "store"), faults, subscriptions);
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
     * {@return a new store without faults, over a given store} It notifies waiting callers, reports changes, and counts
     * processes if that store does.
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
        return refuse(changes());
    }

    private static Call[] changes() {
        return new Call[] {Call.LEASE, Call.RENEW, Call.PUBLISH, Call.RELEASE, Call.PUT, Call.INVALIDATE, Call.EXPIRE};
    }

    /**
     * Makes calls fail without effect and without an answer, as if the store had not received them. Together with a {@link #latency},
     * they fail only after that time.
     *
     * @param calls which; all if none is named
     * @return this
     */
    public FaultyStore ignore(Call... calls) {
        faults.ignore(calls);
        return this;
    }

    /**
     * Makes all calls that change something fail without effect and without an answer, while reads are answered: like a server whose
     * writes are paused.
     *
     * @return this
     */
    public FaultyStore ignoreChanges() {
        return ignore(changes());
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
     * io.stampedeguard.loader.StoreException}, without effect.
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
    public SharedStore shared() {
        return shared;
    }
}
