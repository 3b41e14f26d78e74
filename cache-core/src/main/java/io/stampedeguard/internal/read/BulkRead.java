package io.stampedeguard.internal.read;

import io.stampedeguard.internal.flight.Seat;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.Batch;
import io.stampedeguard.internal.load.BulkLoad;
import io.stampedeguard.internal.load.StaleFallback;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.refresh.BulkRefresh;
import io.stampedeguard.internal.refresh.DueKeys;
import io.stampedeguard.internal.storage.Copies;
import io.stampedeguard.internal.storage.KeyNames;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The way of one {@code getAll}, which is that of {@link ReadPath} for many keys at once:
 *
 * <ol>
 *   <li>look for each key into the near cache, if there is one;
 *   <li>read all others from the store: one round trip, no more if all are there;
 *   <li>what is <em>fresh</em> or <em>stale</em> is an answer; what is due is reloaded in the background, all together;
 *   <li>join the flight of each key that is left. Those that this call leads take the {@link BulkLoad}, and are landed
 *       whatever happens; what others held while some were loaded is looked up and joined again;
 *   <li>only then wait for the flights of others;
 *   <li>what such a flight brought may be older than this call: begin again with those keys.
 * </ol>
 *
 * <p>Where the store does not answer for a key, that key alone goes without it, as in {@link ReadPath}.
 * <em>Thread-safe.</em>
 */
public final class BulkRead<K, V> {
    private final CacheContext context;
    private final KeyNames<K> names;
    private final Copies<V> copies;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final BulkRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final CallerFlights<K, V> flights;
    private final BulkLoad<K, V> bulkLoad;

    public BulkRead(
            CacheContext context,
            KeyNames<K> names,
            Copies<V> copies,
            NearReads<K, V> nearReads,
            StoreReads<K, V> reads,
            BulkRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            CallerFlights<K, V> flights,
            BulkLoad<K, V> bulkLoad) {
        this.context = context;
        this.names = names;
        this.copies = copies;
        this.nearReads = nearReads;
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.flights = flights;
        this.bulkLoad = bulkLoad;
    }

    /** A place in the flight of another. */
    private record Followed<K, V>(Look<K, V> look, Seat<LoadResult<V>> seat) {}

    public Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        Batch<K, V> batch = new Batch<>(keys, context, names, copies, staleFallback);
        List<NamedKey<K>> due = new ArrayList<>();
        List<NamedKey<K>> open = nearReads.hits(batch, due);
        Deadline deadline = Deadline.in(context.policy().waitTimeout(), context.time());
        List<Look<K, V>> misses = look(open, batch, due, loader, deadline);
        if (!misses.isEmpty()) {
            new Misses(batch, loader, deadline).resolve(misses);
        }
        return batch.result();
    }

    /** Reads the store; tells for which keys there is no answer. */
    private List<Look<K, V>> look(
            List<NamedKey<K>> open,
            Batch<K, V> batch,
            List<NamedKey<K>> dueCopies,
            BulkLoader<K, V> loader,
            Deadline deadline) {
        List<Look<K, V>> misses = new ArrayList<>();
        List<Look<K, V>> looks = open.isEmpty() ? List.of() : reads.lookAll(open, deadline.remaining());
        for (Look<K, V> look : looks) {
            Stored<V> stored = look.stored();
            if (stored == null) {
                misses.add(look);
                continue;
            }
            context.events().answer(stored.source(), stored.ageMillis());
            batch.value(look.key(), stored.value());
        }
        List<Look<K, V>> due = DueKeys.among(looks);
        if (!due.isEmpty() || !dueCopies.isEmpty()) {
            refresh.offer(due, dueCopies, loader);
        }
        return misses;
    }

    /** The keys of one {@code getAll} that neither the near cache nor the store answers. <em>Not thread-safe.</em> */
    private final class Misses {
        private final Batch<K, V> batch;
        private final BulkLoader<K, V> loader;
        private final Deadline deadline;
        private final BulkLoad<K, V>.Leader leader;

        private Misses(Batch<K, V> batch, BulkLoader<K, V> loader, Deadline deadline) {
            this.batch = batch;
            this.loader = loader;
            this.deadline = deadline;
            this.leader = bulkLoad.leader(batch, loader, deadline);
        }

        /** Begins again with those that must, until each key has an answer, or an exception of its own. */
        void resolve(List<Look<K, V>> misses) {
            List<Look<K, V>> open = misses;
            while (!open.isEmpty()) {
                open = look(fly(open));
            }
        }

        private List<Look<K, V>> look(List<NamedKey<K>> again) {
            return BulkRead.this.look(again, batch, List.of(), loader, deadline);
        }

        /** Loads what nobody loads, then waits for the others; tells which must begin again. */
        private List<NamedKey<K>> fly(List<Look<K, V>> misses) {
            List<Followed<K, V>> followed = new ArrayList<>();
            List<Look<K, V>> open = misses;
            while (!open.isEmpty()) {
                open = look(lead(open, followed));
            }
            return follow(followed);
        }

        /** Joins flights, and loads what nobody loads; tells what others held meanwhile, which must begin again. */
        private List<NamedKey<K>> lead(List<Look<K, V>> misses, List<Followed<K, V>> followed) {
            List<Seat<LoadResult<V>>> seats =
                    new ArrayList<>(misses.size()); // with room: a flight joined must not be lost
            List<KeyLoad<K, V>> led = new ArrayList<>();
            try {
                for (Look<K, V> look : misses) {
                    if (mayFly(look)) {
                        seats.add(flights.join(look.storeKey()));
                        Seat<LoadResult<V>> seat = seats.get(seats.size() - 1);
                        if (seat.leads()) {
                            led.add(KeyLoad.forCaller(look, seat.flight()));
                        } else {
                            followed.add(new Followed<>(look, seat));
                        }
                    }
                }
                return led.isEmpty() ? List.of() : leader.lead(led);
            } finally {
                Seat.landEmpty(seats);
            }
        }

        private boolean mayFly(Look<K, V> look) {
            try {
                if (!look.isAside() || !answersAside(look)) {
                    flights.check(look.storeKey());
                    return true;
                }
            } catch (RecursiveLoadException | WaitInterruptedException e) {
                batch.failure(look, e);
            }
            return false;
        }

        private boolean answersAside(Look<K, V> look) {
            if (Thread.currentThread().isInterrupted()) { // that may be why the store has not answered
                throw Failures.interrupted(look.storeKey(), new InterruptedException("while the store was asked"));
            }
            LoadResult<V> copy = staleFallback.recent(look.key());
            if (copy != null) {
                batch.outcome(look, copy);
            }
            return copy != null;
        }

        private List<NamedKey<K>> follow(List<Followed<K, V>> followed) {
            List<NamedKey<K>> again = new ArrayList<>();
            for (Followed<K, V> each : followed) {
                Look<K, V> look = each.look;
                try {
                    LoadResult<V> outcome = flights.follow(look, each.seat, deadline);
                    if (outcome == null) {
                        again.add(new NamedKey<>(look.key(), look.storeKey()));
                    } else {
                        batch.outcome(look, outcome);
                    }
                } catch (WaitTimeoutException | WaitInterruptedException e) {
                    batch.failure(look, e);
                }
            }
            return again;
        }
    }
}
