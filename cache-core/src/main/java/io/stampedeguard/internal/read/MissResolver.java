package io.stampedeguard.internal.read;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.CallerFlights;
import io.stampedeguard.internal.refresh.BackgroundRefresh;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Look;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.RecursiveLoadException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the keys of a call that neither the near cache nor the store has answered. A single key is a set of one:
 * <ol>
 *   <li>Join the flight of each key. Those that this call leads take the {@link LeaderLoad}, and always complete. Keys that other
 *       processes held while some were loaded are read and joined again.
 *   <li>Only then wait for the flights of other callers.
 *   <li>The result of such a flight may be older than this call: begin again with those keys, with a read.
 * </ol>
 *
 * <p>If the store does not answer for a key, only that key continues without it: {@link StaleFallback}. <em>Thread-safe.</em>
 */
public final class MissResolver<K, V> {
    private final StoreReads<K, V> reads;
    private final BackgroundRefresh<K, V> refresh;
    private final StaleFallback<K, V> staleFallback;
    private final CallerFlights<K, V> flights;
    private final LeaderLoad<K, V> leaderLoad;
    private final String cache;
    private final long waitTimeoutNanos;
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
        this.cache = context.name();
        this.waitTimeoutNanos = context.policy().waitTimeout().toNanos();
        this.events = context.events();
    }

    /** A key and this call's membership in another caller's flight. */
    private record Followed<K, V>(Look<K, V> look, Membership<LoadResult<V>> membership) {}

    /** Begins a call for a number of keys, to be added next. */
    Batch batch(int size) {
        return new Batch(size);
    }

    /**
     * Returns whether the request for the lease of a key may be its read: this caller would lead, the store is not known to be
     * down, and there is nothing that would answer in place of a store that does not.
     */
    boolean mayLeaseUnread(K key, String storeKey) {
        return flights.wouldLead(storeKey) && !staleFallback.mayBeNeeded(key);
    }

    /**
     * Returns whether a caller may wait for the flight of a key without a read of its own: the flight's leader has just found
     * nothing, the store is not known to be down, and there is nothing that would answer in place of a store that does not.
     */
    boolean mayFollowUnread(K key, String storeKey) {
        return flights.wouldFollowMiss(storeKey) && !staleFallback.mayBeNeeded(key);
    }

    /**
     * Leaves the reads of keys to the requests for their leases, where possible, and reads the others like {@link #read}; returns
     * the looks at keys without an answer.
     */
    List<Look<K, V>> readFew(
            List<NamedKey<K>> keys,
            List<NamedKey<K>> dueCopies,
            Batch batch,
            LoadFunction<K, V> loader,
            Deadline deadline) {
        List<NamedKey<K>> unread = new ArrayList<>();
        List<NamedKey<K>> others = new ArrayList<>();
        for (NamedKey<K> each : keys) {
            (mayLeaseUnread(each.key(), each.storeKey()) ? unread : others).add(each);
        }
        List<Look<K, V>> open = new ArrayList<>();
        for (Look<K, V> look : unread.isEmpty() ? List.<Look<K, V>>of() : reads.unreadAll(unread)) {
            if (look.stored() == null) {
                open.add(look);
            } else {
                batch.stored(look);
            }
        }
        open.addAll(read(others, dueCopies, batch, loader, deadline));
        return open;
    }

    /** Reads keys, and requests reloads of those that are due; returns the looks at keys without an answer. */
    List<Look<K, V>> read(
            List<NamedKey<K>> keys,
            List<NamedKey<K>> dueCopies,
            Batch batch,
            LoadFunction<K, V> loader,
            Deadline deadline) {
        if (keys.isEmpty() && dueCopies.isEmpty()) {
            return List.of();
        }
        List<Look<K, V>> looks = keys.isEmpty() ? List.of() : reads.lookAll(keys, deadline.remaining());
        List<Look<K, V>> misses = new ArrayList<>();
        for (Look<K, V> look : looks) {
            if (look.stored() == null) {
                misses.add(look);
            } else {
                batch.stored(look);
            }
        }
        refresh.offerDue(looks, dueCopies, loader);
        return misses;
    }

    /**
     * Loads keys for which the store had no answer, or waits for other callers that load them; afterwards, each has an answer
     * or a failure. A loader of one key is invoked for one key after another, each in its own flight: it may therefore request
     * another of these keys, and each key has the whole {@code loadTimeout}, and the whole {@code waitTimeout} as well, as by
     * {@code get}; but what the call waits for in vain adds up to one {@code waitTimeout}.
     */
    void resolve(List<Look<K, V>> misses, Batch batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (loader.takesMany()) {
            resolveTogether(misses, batch, loader, deadline);
        } else {
            boolean isFirst = true;
            for (Look<K, V> miss : misses) {
                if (!isFirst && !batch.hasWaitedInVain) {
                    deadline.restart(waitTimeoutNanos);
                }
                isFirst = false;
                resolveTogether(List.of(miss), batch, loader, deadline);
            }
        }
    }

    private void resolveTogether(List<Look<K, V>> misses, Batch batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (misses.isEmpty()) {
            return;
        }
        LeaderLoad<K, V>.Leader leader = leaderLoad.of(loader, deadline, batch);
        List<Look<K, V>> open = misses;
        while (!open.isEmpty()) {
            List<Followed<K, V>> followed = new ArrayList<>();
            while (!open.isEmpty()) {
                List<NamedKey<K>> again = lead(open, loader, leader, followed, batch);
                if (!batch.hits.isEmpty()) {
                    refresh.offerDue(List.copyOf(batch.hits), List.of(), loader);
                    batch.hits.clear();
                }
                open = read(again, List.of(), batch, loader, deadline);
            }
            open = follow(followed, batch, loader, deadline);
        }
    }

    /** Joins flights, and loads keys that no other caller loads; returns those held by other processes, which begin again. */
    private List<NamedKey<K>> lead(
            List<Look<K, V>> misses,
            LoadFunction<K, V> loader,
            LeaderLoad<K, V>.Leader leader,
            List<Followed<K, V>> followed,
            Batch batch) {
        List<Look<K, V>> stale = new ArrayList<>();
        List<Look<K, V>> flying = new ArrayList<>(misses.size());
        for (Look<K, V> look : misses) {
            if (mayFly(look, stale, batch)) {
                flying.add(look);
            }
        }
        if (!stale.isEmpty()) {
            refresh.offerMissing(stale, loader);
        }
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

    private boolean mayFly(Look<K, V> look, List<Look<K, V>> stale, Batch batch) {
        try {
            if (!look.needsFallback() || !fallbackAnswers(look, stale, batch)) {
                flights.check(look.storeKey());
                return true;
            }
        } catch (RecursiveLoadException | WaitInterruptedException e) {
            batch.failure(look, e);
        }
        return false;
    }

    private boolean fallbackAnswers(Look<K, V> look, List<Look<K, V>> stale, Batch batch) {
        if (!look.storeAnswers()
                && Thread.currentThread().isInterrupted()) { // this may be why the store did not answer
            throw Failures.interrupted(look.storeKey(), new InterruptedException("during a request to the store"));
        }
        LoadResult<V> copy = staleFallback.recent(look, stale::add);
        if (copy != null) {
            batch.outcome(look, copy);
        }
        return copy != null;
    }

    /**
     * Waits for flights, and reads the keys that have no result; returns the looks at those that must begin again. What is in the
     * store when the time is over is an answer.
     */
    private List<Look<K, V>> follow(
            List<Followed<K, V>> followed, Batch batch, LoadFunction<K, V> loader, Deadline deadline) {
        if (followed.isEmpty()) {
            return List.of();
        }
        List<NamedKey<K>> again = new ArrayList<>();
        Map<String, WaitTimeoutException> late = new HashMap<>();
        for (Followed<K, V> each : followed) {
            Look<K, V> look = each.look;
            try {
                LoadResult<V> outcome = flights.follow(look, each.membership, deadline);
                if (outcome == null) {
                    again.add(new NamedKey<>(look.key(), look.storeKey()));
                } else {
                    batch.outcome(look, outcome);
                }
            } catch (WaitTimeoutException e) {
                if (look.storeAnswers()) {
                    late.put(look.storeKey(), e);
                    again.add(new NamedKey<>(look.key(), look.storeKey()));
                } else {
                    batch.failure(look, e);
                }
            } catch (WaitInterruptedException e) {
                batch.failure(look, e);
            }
        }
        List<Look<K, V>> open = new ArrayList<>();
        for (Look<K, V> look : read(again, List.of(), batch, loader, deadline)) {
            WaitTimeoutException timeout = late.get(look.storeKey());
            if (timeout == null) {
                open.add(look);
            } else {
                batch.failure(look, timeout);
            }
        }
        return open;
    }

    /**
     * The keys of one {@code get} or {@code getAll}, and the result of each so far. If the store does not answer for a key, an
     * old copy of the near cache comes before an exception. <em>Not thread-safe.</em>
     */
    final class Batch implements LeaderLoad.Answers<K, V> {
        private final List<NamedKey<K>> keys;
        private final Map<K, @Nullable V> values; // in the order of the keys, with null for those without an answer
        private final Map<K, CacheException> failures = new HashMap<>();
        private final List<Look<K, V>> hits = new ArrayList<>(0); // whose reload may be due
        private int answered; // with a value
        private int reported; // with a value, with "the origin has none", or with a failure
        private boolean hasWaitedInVain;

        private Batch(int size) {
            this.keys = new ArrayList<>(size);
            this.values = new LinkedHashMap<>(size + size / 3 + 1);
        }

        /** Takes a key, unless it was taken before. */
        void add(K key, String storeKey) {
            values.put(key, null);
            if (values.size() > keys.size()) {
                keys.add(new NamedKey<>(key, storeKey));
            }
        }

        /** Returns the keys, in their order. */
        List<NamedKey<K>> keys() {
            return keys;
        }

        /** Takes an answer of the near cache. */
        void copy(K key, @Nullable V value) {
            report(AnswerSource.NEAR);
            value(key, value);
        }

        /** Reports that the call fails as a whole: its keys that have no answer yet get none. */
        void fails() {
            while (reported < keys.size()) {
                report(AnswerSource.FAILED);
            }
        }

        private void report(AnswerSource source) {
            reported++;
            events.answer(source);
        }

        private void value(K key, @Nullable V value) {
            if (value != null && values.put(key, reads.copy(value)) == null) {
                answered++;
            }
        }

        private void stored(Look<K, V> look) {
            Stored<V> stored = requireNonNull(look.stored());
            reported++;
            events.answer(stored.source(), stored.ageMillis());
            value(look.key(), stored.value());
        }

        @Override
        public void hit(Look<K, V> look) {
            stored(look);
            hits.add(look);
        }

        @Override
        public void outcome(Look<K, V> look, LoadResult<V> outcome) {
            try {
                V value = outcome.get(look.storeKey());
                report(outcome.source());
                value(look.key(), value);
            } catch (CacheException e) {
                failure(look, e);
            }
        }

        @Override
        public void failure(Look<K, V> look, CacheException e) {
            hasWaitedInVain |= e instanceof WaitTimeoutException || e instanceof OriginBusyException;
            LoadResult<V> copy = staleFallback.insteadOf(e, look);
            if (copy == null) {
                failures.put(look.key(), e);
                report(AnswerSource.FAILED);
            } else {
                outcome(look, copy);
            }
        }

        @Override
        public @Nullable LoadResult<V> insteadOfLoad(Look<K, V> look) {
            return staleFallback.insteadOfLoad(look);
        }

        /** Returns the values that there are; throws a {@link BulkLoadException} if a key has no answer. */
        @SuppressWarnings("NullAway") // what is null is removed
        Map<K, V> result() {
            if (answered < values.size()) {
                values.values().removeIf(Objects::isNull);
            }
            if (!failures.isEmpty()) {
                throw Failures.bulk(cache, keys.size(), values, inOrder(failures));
            }
            return values;
        }

        /** Returns the value of the only key, or {@code null} if the origin has none; throws its failure if it has no answer. */
        @Nullable
        V only() {
            for (CacheException failure : failures.values()) {
                throw failure;
            }
            return values.values().iterator().next();
        }

        private Map<K, CacheException> inOrder(Map<K, CacheException> some) {
            Map<K, CacheException> ordered = new LinkedHashMap<>();
            for (NamedKey<K> each : keys) {
                CacheException failure = some.get(each.key());
                if (failure != null) {
                    ordered.put(each.key(), failure);
                }
            }
            return ordered;
        }
    }
}
