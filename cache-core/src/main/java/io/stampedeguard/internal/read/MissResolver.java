package io.stampedeguard.internal.read;

import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.Batch;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.load.StaleFallback;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.Look;
import io.stampedeguard.internal.storage.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * Resolves the keys of a call that neither the near cache nor the store has answered. A single key is a set of one:
 *
 * <ol>
 *   <li>Join the flight of each key. Those that this call leads take the {@link LeaderLoad}, and always complete. Keys that
 *       other processes held while some were loaded are read and joined again.
 *   <li>Only then wait for the flights of other callers.
 *   <li>The result of such a flight may be older than this call: begin again with those keys, with a read.
 * </ol>
 *
 * <p>If the store does not answer for a key, only that key continues without it: a copy that the near cache read a moment ago
 * takes precedence over the loader, and an older one over an exception. <em>Thread-safe.</em>
 */
public final class MissResolver<K, V> {
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final CallerFlights<K, V> flights;
    private final LeaderLoad<K, V> leaderLoad;
    private final CacheEvents events;

    public MissResolver(
            CacheContext context,
            StoreReads<K, V> reads,
            BackgroundRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            CallerFlights<K, V> flights,
            LeaderLoad<K, V> leaderLoad) {
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.flights = flights;
        this.leaderLoad = leaderLoad;
        this.events = context.events();
    }

    /** A key and this call's membership in another caller's flight. */
    private record Followed<K, V>(Look<K, V> look, Membership<LoadResult<V>> membership) {}

    /**
     * Reads keys from the store, and requests reloads of those that are due.
     *
     * @return the looks at keys without an answer
     */
    List<Look<K, V>> read(
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
                events.answer(stored.source(), stored.ageMillis());
                batch.value(look.key(), stored.value());
            }
        }
        refresh.offerDue(looks, dueCopies, loader);
        return misses;
    }

    /**
     * Loads keys for which the store had no answer, or waits for other callers that load them; afterwards, each has an answer
     * or a failure. A loader of one key is invoked for one key after another, each in its own flight: it may therefore request
     * another of these keys, and each key has the whole {@code loadTimeout}.
     */
    void resolve(List<Look<K, V>> misses, Batch<K, V> batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (loader.takesMany()) {
            resolveTogether(misses, batch, loader, deadline);
        } else {
            misses.forEach(miss -> resolveTogether(List.of(miss), batch, loader, deadline));
        }
    }

    private void resolveTogether(
            List<Look<K, V>> misses, Batch<K, V> batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (misses.isEmpty()) {
            return;
        }
        LeaderLoad<K, V>.Leader leader = leaderLoad.of(loader, deadline, batch);
        List<Look<K, V>> open = misses;
        while (!open.isEmpty()) {
            List<Followed<K, V>> followed = new ArrayList<>();
            while (!open.isEmpty()) {
                List<NamedKey<K>> again = lead(open, leader, followed, batch);
                open = read(again, List.of(), batch, loader, deadline);
            }
            open = read(follow(followed, batch, deadline), List.of(), batch, loader, deadline);
        }
    }

    /**
     * Joins flights, and loads keys that no other caller loads; returns the keys that other processes held in the meantime,
     * which must begin again.
     */
    private List<NamedKey<K>> lead(
            List<Look<K, V>> misses, LeaderLoad<K, V>.Leader leader, List<Followed<K, V>> followed, Batch<K, V> batch) {
        List<Look<K, V>> flying =
                misses.stream().filter(look -> mayFly(look, batch)).toList();
        return flights.joinAll(flying, memberships -> {
            List<KeyLoad<K, V>> led = new ArrayList<>();
            for (int i = 0; i < memberships.size(); i++) {
                Look<K, V> look = flying.get(i);
                Membership<LoadResult<V>> membership = memberships.get(i);
                if (membership.leads()) {
                    led.add(KeyLoad.forCaller(look, membership.flight()));
                } else {
                    followed.add(new Followed<>(look, membership));
                }
            }
            return led.isEmpty() ? List.of() : leader.lead(led);
        });
    }

    private boolean mayFly(Look<K, V> look, Batch<K, V> batch) {
        try {
            if (!look.isAside() || !answersAside(look, batch)) {
                flights.check(look.storeKey());
                return true;
            }
        } catch (RecursiveLoadException | WaitInterruptedException e) {
            batch.failure(look, e);
        }
        return false;
    }

    private boolean answersAside(Look<K, V> look, Batch<K, V> batch) {
        if (!look.storeAnswers()
                && Thread.currentThread().isInterrupted()) { // this may be why the store did not answer
            throw Failures.interrupted(look.storeKey(), new InterruptedException("during a request to the store"));
        }
        LoadResult<V> copy = staleFallback.recent(look.key());
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
                LoadResult<V> outcome = flights.follow(look, each.membership, deadline);
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
