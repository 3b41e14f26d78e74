package io.stampedeguard;

import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.BulkLoader;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
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
final class BulkRead<K, V> {
    private final CacheParts<K, V> parts;
    private final LoadParts<K, V> load;
    private final NearReads<K, V> nearReads;
    private final StoreReads<K, V> reads;
    private final StandIns<K, V> standIns;
    private final SingleFlight<Outcome<V>> flights;
    private final BulkRefresh<K, V> refresh;
    private final Following<K, V> following;
    private final Duration waitTimeout;
    private final TimeSource time;

    BulkRead(CacheParts<K, V> parts, ReadParts<K, V> shared) {
        this.parts = parts;
        this.load = shared.load();
        this.nearReads = shared.nearReads();
        this.reads = shared.reads();
        this.standIns = shared.standIns();
        this.flights = shared.flights();
        this.refresh = shared.bulkRefresh();
        this.following = shared.following();
        this.waitTimeout = parts.policy().waitTimeout();
        this.time = parts.time();
    }

    /** A place in the flight of another. */
    private record Followed<K, V>(Look<K, V> look, Seat<Outcome<V>> seat) {}

    Map<K, V> getAll(Collection<? extends K> keys, BulkLoader<K, V> loader) {
        Batch<K, V> batch = new Batch<>(keys, parts, standIns);
        List<NamedKey<K>> due = new ArrayList<>();
        List<NamedKey<K>> open = nearReads.hits(batch, due);
        Deadline deadline = Deadline.in(waitTimeout, time);
        List<Look<K, V>> misses = look(open, batch, due, loader, deadline);
        if (!misses.isEmpty()) {
            GetAllCall<K, V> call = new GetAllCall<>(batch, loader, deadline);
            while (!misses.isEmpty()) {
                misses = look(fly(misses, call), call);
            }
        }
        return batch.result();
    }

    private List<Look<K, V>> look(List<NamedKey<K>> again, GetAllCall<K, V> call) {
        return look(again, call.batch(), List.of(), call.loader(), call.deadline());
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
            parts.events().answer(stored);
            batch.value(look.key(), stored.value());
        }
        List<Look<K, V>> due = DueKeys.among(looks);
        if (!due.isEmpty() || !dueCopies.isEmpty()) {
            refresh.offer(due, dueCopies, loader);
        }
        return misses;
    }

    /** Loads what nobody loads, then waits for the others; tells which must begin again. */
    private List<NamedKey<K>> fly(List<Look<K, V>> misses, GetAllCall<K, V> call) {
        List<Followed<K, V>> followed = new ArrayList<>();
        List<Look<K, V>> open = misses;
        while (!open.isEmpty()) {
            open = look(lead(open, call, followed), call);
        }
        return follow(followed, call);
    }

    /** Joins flights, and loads what nobody loads; tells what others held meanwhile, which must begin again. */
    private List<NamedKey<K>> lead(List<Look<K, V>> misses, GetAllCall<K, V> call, List<Followed<K, V>> followed) {
        List<Seat<Outcome<V>>> seats = new ArrayList<>(misses.size()); // with room: a flight joined must not be lost
        List<KeyLoad<K, V>> led = new ArrayList<>();
        try {
            for (Look<K, V> look : misses) {
                if (mayFly(look, call.batch())) {
                    seats.add(flights.join(look.storeKey()));
                    Seat<Outcome<V>> seat = seats.get(seats.size() - 1);
                    if (seat.leads()) {
                        led.add(KeyLoad.forCaller(look, seat.flight()));
                    } else {
                        followed.add(new Followed<>(look, seat));
                    }
                }
            }
            return led.isEmpty() ? List.of() : new BulkLoad<>(parts, load, call).lead(led);
        } finally {
            Seat.landEmpty(seats);
        }
    }

    private boolean mayFly(Look<K, V> look, Batch<K, V> batch) {
        try {
            if (!look.isAside() || !answersAside(look, batch)) {
                parts.nesting().check(look.storeKey());
                return true;
            }
        } catch (RecursiveLoadException | WaitInterruptedException e) {
            batch.failure(look, e);
        }
        return false;
    }

    private boolean answersAside(Look<K, V> look, Batch<K, V> batch) {
        if (Thread.currentThread().isInterrupted()) { // that may be why the store has not answered
            throw Failures.interrupted(look.storeKey(), new InterruptedException("while the store was asked"));
        }
        Outcome<V> copy = standIns.recent(look.key());
        if (copy != null) {
            batch.outcome(look, copy);
        }
        return copy != null;
    }

    private List<NamedKey<K>> follow(List<Followed<K, V>> followed, GetAllCall<K, V> call) {
        List<NamedKey<K>> again = new ArrayList<>();
        for (Followed<K, V> each : followed) {
            Look<K, V> look = each.look;
            try {
                Outcome<V> outcome = following.follow(look, each.seat, call.deadline());
                if (outcome == null) {
                    again.add(new NamedKey<>(look.key(), look.storeKey()));
                } else {
                    call.batch().outcome(look, outcome);
                }
            } catch (WaitTimeoutException | WaitInterruptedException e) {
                call.batch().failure(look, e);
            }
        }
        return again;
    }
}
