package io.stampedeguard;

import io.stampedeguard.flight.Seat;
import io.stampedeguard.flight.SingleFlight;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a call does that waits for keys which neither the near cache nor the store has answered. A single key is a set of one:
 *
 * <ol>
 *   <li>join the flight of each key. Those that this call leads take the {@link LeaderLoad}, and are landed
 *       whatever happens; what others held while some were loaded is looked up and joined again;
 *   <li>only then wait for the flights of others;
 *   <li>what such a flight brought may be older than this call: begin again with those keys, with a look.
 * </ol>
 *
 * <p>Where the store does not answer for a key, that key alone goes without it: a copy that the near cache took a moment ago
 * comes before the loader, and an older one before an exception. <em>Thread-safe.</em>
 */
final class MissResolver<K, V> {
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StandIns<K, V> standIns;
    private final Nesting nesting;
    private final SingleFlight<Outcome<V>> flights;
    private final LeaderLoad<K, V> leaderLoad;
    private final Following<K, V> following;
    private final CacheEvents events;

    MissResolver(CacheParts<K, V> parts, ReadParts<K, V> shared) {
        this.reads = shared.reads();
        this.refresh = shared.refresh();
        this.standIns = shared.standIns();
        this.nesting = parts.nesting();
        this.flights = shared.flights();
        this.leaderLoad = shared.leaderLoad();
        this.following = shared.following();
        this.events = parts.events();
    }

    /** A place in the flight of another. */
    private record Followed<K, V>(Look<K, V> look, Seat<Outcome<V>> seat) {}

    /** Reads keys from the store; each has an answer or a failure afterwards. */
    void read(
            List<NamedKey<K>> keys,
            List<NamedKey<K>> dueCopies,
            Batch<K, V> batch,
            LoadFunction<K, V> loader,
            Deadline deadline) {
        resolve(look(keys, dueCopies, batch, loader, deadline), batch, loader, deadline);
    }

    /** Loads keys for which the store had no answer, or waits for those who do; each has an answer or a failure afterwards. */
    void resolve(List<Look<K, V>> misses, Batch<K, V> batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (misses.isEmpty()) {
            return;
        }
        LeaderLoad<K, V>.Leader leader = leaderLoad.of(loader, deadline, batch);
        List<Look<K, V>> open = misses;
        while (!open.isEmpty()) {
            List<Followed<K, V>> followed = new ArrayList<>();
            while (!open.isEmpty()) {
                List<NamedKey<K>> again = lead(open, leader, followed, batch);
                open = look(again, List.of(), batch, loader, deadline);
            }
            open = look(follow(followed, batch, deadline), List.of(), batch, loader, deadline);
        }
    }

    /** Reads the store; returns the looks at keys that have no answer. */
    private List<Look<K, V>> look(
            List<NamedKey<K>> keys,
            List<NamedKey<K>> dueCopies,
            Batch<K, V> batch,
            LoadFunction<K, V> loader,
            Deadline deadline) {
        List<Look<K, V>> looks = keys.isEmpty() ? List.of() : reads.lookAll(keys, deadline.remaining());
        List<Look<K, V>> misses = new ArrayList<>();
        for (Look<K, V> look : looks) {
            Stored<V> stored = look.stored();
            if (stored == null) {
                misses.add(look);
            } else {
                events.answer(stored);
                batch.value(look.key(), stored.value());
            }
        }
        List<Look<K, V>> due = DueKeys.among(looks);
        if (!due.isEmpty() || !dueCopies.isEmpty()) {
            refresh.offer(due, dueCopies, loader);
        }
        return misses;
    }

    /** Joins flights, and loads what nobody loads; returns what others held meanwhile, which must begin again. */
    private List<NamedKey<K>> lead(
            List<Look<K, V>> misses, LeaderLoad<K, V>.Leader leader, List<Followed<K, V>> followed, Batch<K, V> batch) {
        List<Look<K, V>> flying =
                misses.stream().filter(look -> mayFly(look, batch)).toList();
        return flights.joinAll(flying, Look::storeKey, seats -> {
            List<KeyLoad<K, V>> led = new ArrayList<>();
            for (int i = 0; i < seats.size(); i++) {
                Look<K, V> look = flying.get(i);
                Seat<Outcome<V>> seat = seats.get(i);
                if (seat.leads()) {
                    led.add(KeyLoad.forCaller(look, seat.flight()));
                } else {
                    followed.add(new Followed<>(look, seat));
                }
            }
            return led.isEmpty() ? List.of() : leader.lead(led);
        });
    }

    private boolean mayFly(Look<K, V> look, Batch<K, V> batch) {
        try {
            if (!look.isAside() || !answersAside(look, batch)) {
                nesting.check(look.storeKey());
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

    /** Waits for flights; returns the keys that must begin again. */
    private List<NamedKey<K>> follow(List<Followed<K, V>> followed, Batch<K, V> batch, Deadline deadline) {
        List<NamedKey<K>> again = new ArrayList<>();
        for (Followed<K, V> each : followed) {
            Look<K, V> look = each.look;
            try {
                Outcome<V> outcome = following.follow(look, each.seat, deadline);
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
