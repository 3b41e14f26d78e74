package io.stampedeguard.internal.read;

import static io.stampedeguard.internal.lease.KeyRequest.in;
import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadFunction.AgeBound;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.KeyRequest.Phase;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.BackgroundRefresh;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.peer.FlightWait;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.storage.StoreReads.Lookup;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.WaitInterruptedException;
import io.stampedeguard.loader.WaitTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
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
    private final SingleFlight<LoadResult<V>> flights;
    private final FlightWait<K, V> flightWait;
    private final LoadPermits permits;
    private final LeaderLoad<K, V> leaderLoad;
    private final String cache;
    private final long waitTimeoutNanos;
    private final CacheEvents events;

    public MissResolver(
            CacheContext context,
            StoreReads<K, V> reads,
            BackgroundRefresh<K, V> refresh,
            StaleFallback<K, V> staleFallback,
            SingleFlight<LoadResult<V>> flights,
            FlightWait<K, V> flightWait,
            LoadPermits permits,
            LeaderLoad<K, V> leaderLoad) {
        this.reads = reads;
        this.refresh = refresh;
        this.staleFallback = staleFallback;
        this.flights = flights;
        this.flightWait = flightWait;
        this.permits = permits;
        this.leaderLoad = leaderLoad;
        this.cache = context.name();
        this.waitTimeoutNanos = context.policy().waitTimeout().toNanos();
        this.events = context.events();
    }

    /** Reads keys, and requests reloads of those that are due; returns the lookups of keys without an answer. */
    List<Lookup<K, V>> read(List<NamedKey<K>> keys, Batch batch) {
        return taken(readAll(keys, batch), batch);
    }

    List<Lookup<K, V>> readAll(List<NamedKey<K>> keys, Batch batch) {
        return keys.isEmpty() ? List.of() : reads.lookUpAll(keys, batch.deadline.remaining());
    }

    /** Takes what was read as answers, and requests reloads of what is due; returns the lookups of keys without an answer. */
    List<Lookup<K, V>> taken(List<Lookup<K, V>> lookups, Batch batch) {
        AgeBound bound = batch.loader.bound();
        List<Lookup<K, V>> open = new ArrayList<>();
        for (Lookup<K, V> lookup : lookups) {
            if (bound == null ? lookup.stored() != null : bound.permits(lookup)) {
                batch.stored(lookup);
            } else {
                open.add(lookup);
            }
        }
        if (open.size() < lookups.size() || !batch.dueCopies.isEmpty()) {
            refresh.offerDue(lookups, List.copyOf(batch.dueCopies), batch.loader);
            batch.dueCopies.clear();
        }
        return open;
    }

    /**
     * Resolves the keys of a call. A loader of one key is invoked for one key after another, each in its own flight: it may therefore
     * request another of these keys, and each key has the whole {@code loadTimeout}, and the whole {@code waitTimeout} as well, as by
     * {@code get}; but what the call waits for in vain adds up to one {@code waitTimeout}. After that it goes on without a wait, and
     * in the end reads what it has no answer for: if that answers the key of the wait, it was not in vain, and the rest begins again.
     */
    void resolveAll(List<Lookup<K, V>> misses, Batch batch) {
        if (batch.loader.takesMany()) {
            resolve(misses, batch);
            return;
        }
        Map<NamedKey<K>, CacheException> late = new LinkedHashMap<>();
        batch.late = late;
        boolean isFirst = true;
        for (List<Lookup<K, V>> open = misses; !open.isEmpty(); open = readLate(late, batch)) {
            for (Lookup<K, V> miss : open) {
                if (!isFirst && late.isEmpty()) {
                    batch.deadline.restart(waitTimeoutNanos);
                }
                isFirst = false;
                resolve(List.of(miss), batch);
            }
        }
    }

    /** Reads keys for which there was no time; returns those without an answer, or none if they fail, as nothing came of the wait. */
    private List<Lookup<K, V>> readLate(Map<NamedKey<K>, CacheException> late, Batch batch) {
        List<NamedKey<K>> keys = List.copyOf(late.keySet()); // the first is the one that the call has waited for
        List<Lookup<K, V>> missed = read(keys, batch);
        if (missed.stream()
                .noneMatch(lookup -> lookup.storeKey().equals(keys.get(0).storeKey()))) {
            late.clear();
            return missed;
        }
        missed.forEach(lookup -> batch.failure(lookup, requireNonNull(late.get(lookup.named()))));
        return List.of();
    }

    /**
     * Loads keys together for which the store had no answer, or waits for other callers that load them; afterwards, each has an
     * answer or a failure.
     */
    void resolve(List<Lookup<K, V>> misses, Batch batch) {
        List<KeyRequest<K, V>> open = KeyRequest.of(unanswered(misses, batch), batch.loader.reloads());
        while (!open.isEmpty()) {
            open = follow(lead(open, batch), batch);
        }
    }

    /** Answers keys for which a copy in this process comes before the loader; returns the lookups of the others. */
    List<Lookup<K, V>> unanswered(List<Lookup<K, V>> misses, Batch batch) {
        List<Lookup<K, V>> stale = new ArrayList<>();
        List<Lookup<K, V>> open = new ArrayList<>(misses.size());
        for (Lookup<K, V> lookup : misses) {
            if (lookup.needsFallback() && !batch.loader.reloads()) {
                if (!lookup.storeAnswers() && Thread.currentThread().isInterrupted()) { // which may be why
                    InterruptedException e = new InterruptedException("during a request to the store");
                    batch.failure(lookup, Failures.interrupted(lookup.storeKey(), e));
                    continue;
                }
                LoadResult<V> copy = staleFallback.recent(lookup, stale::add);
                if (copy != null) {
                    batch.outcome(lookup, copy);
                    continue;
                }
            }
            if (!batch.loading.isEmpty() && batch.loading.contains(lookup.storeKey())) {
                batch.failure(lookup, LoadPermits.recursion(lookup.storeKey()));
            } else {
                open.add(lookup);
            }
        }
        if (!stale.isEmpty()) {
            refresh.offerMissing(stale, batch.loader);
        }
        return open;
    }

    /** Joins flights, and loads keys that no other caller loads; returns those whose flights other callers lead. */
    List<KeyRequest<K, V>> lead(List<KeyRequest<K, V>> requests, Batch batch) {
        List<KeyRequest<K, V>> followed = new ArrayList<>(0);
        List<KeyRequest<K, V>> open = requests;
        while (!open.isEmpty()) {
            List<KeyRequest<K, V>> joining = open;
            List<KeyRequest<K, V>> led = flights.joinAll(joining, KeyRequest::storeKey, memberships -> {
                for (int i = 0; i < memberships.size(); i++) {
                    joining.get(i).join(memberships.get(i));
                }
                List<KeyRequest<K, V>> leading = in(Phase.LEASE, joining);
                if (!leading.isEmpty()) {
                    leaderLoad.of(leading, batch.loader, batch.deadline, batch).lead();
                }
                return leading;
            });
            if (led.size() < joining.size()) {
                followed.addAll(in(Phase.FOLLOW, joining));
            }
            open = readAgain(in(Phase.READ, joining), batch);
        }
        return followed;
    }

    /** Waits for flights, and reads the keys that have no result; returns those that must begin again. */
    private List<KeyRequest<K, V>> follow(List<KeyRequest<K, V>> followed, Batch batch) {
        if (followed.isEmpty()) {
            return followed;
        }
        for (KeyRequest<K, V> request : followed) {
            Lookup<K, V> lookup = request.lookup();
            request.become(Phase.DONE); // unless it has to be read again
            try {
                LoadResult<V> outcome = flightWait.follow(request, batch.deadline);
                if (outcome == null) {
                    request.become(Phase.READ);
                } else {
                    batch.outcome(lookup, outcome);
                }
            } catch (WaitTimeoutException e) {
                request.noteTimeout(e);
            } catch (WaitInterruptedException e) {
                batch.failure(lookup, e);
            }
        }
        return readAgain(in(Phase.READ, followed), batch);
    }

    /** Reads keys; returns those without an answer. If no time is left for a key, what is in the store is its answer, or it has none. */
    List<KeyRequest<K, V>> readAgain(List<KeyRequest<K, V>> again, Batch batch) {
        if (again.isEmpty()) {
            return again;
        }
        Map<K, KeyRequest<K, V>> requests = new HashMap<>();
        List<NamedKey<K>> keys = new ArrayList<>(again.size());
        for (KeyRequest<K, V> request : again) {
            WaitTimeoutException timeout = request.timeout();
            request.become(Phase.DONE);
            if (timeout != null && !request.lookup().storeAnswers()) {
                batch.late(request.lookup(), timeout);
            } else {
                requests.put(request.key(), request);
                keys.add(request.lookup().named());
            }
        }
        List<Lookup<K, V>> missed = new ArrayList<>();
        for (Lookup<K, V> lookup : read(keys, batch)) {
            WaitTimeoutException timeout =
                    requireNonNull(requests.get(lookup.key())).timeout();
            if (timeout == null) {
                missed.add(lookup);
            } else {
                batch.late(lookup, timeout);
            }
        }
        List<KeyRequest<K, V>> open = new ArrayList<>();
        for (Lookup<K, V> lookup : unanswered(missed, batch)) {
            KeyRequest<K, V> request = requireNonNull(requests.get(lookup.key()));
            request.lookedUpAgain(lookup);
            open.add(request);
        }
        return open;
    }

    /**
     * One call: its keys, its loader, until when it waits, and the result of each key so far. If the store does not answer for a
     * key, an old copy of the near cache comes before an exception. <em>Not thread-safe.</em>
     */
    final class Batch implements LeaderLoad.Answers<K, V> {
        /** With the context of the caller, from when the call leaves its thread. */
        LoadFunction<K, V> loader;

        private final Deadline deadline;

        /** The keys that the caller's thread is loading: it would wait for itself. */
        final Set<String> loading;

        private final List<NamedKey<K>> keys;
        private final Map<K, @Nullable V> values; // in the order of the keys, with null for those without an answer
        private final Map<K, CacheException> failures = new HashMap<>();
        private final List<NamedKey<K>> dueCopies = new ArrayList<>(0);
        private int answered; // with a value
        private int reported; // with a value, with "the origin has none", or with a failure

        /** Why there was no time left for keys that are read again after the others; null if they fail at once. */
        private @Nullable Map<NamedKey<K>, CacheException> late;

        /** Begins a call of this thread for a number of keys, to be added next; it waits until the deadline. */
        Batch(int size, LoadFunction<K, V> loader, Deadline deadline) {
            this.loader = loader;
            this.deadline = deadline;
            this.loading = permits.loadedByThisThread();
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

        Deadline deadline() {
            return deadline;
        }

        /** Takes an answer of the near cache. */
        void copy(NamedKey<K> key, @Nullable V value, boolean isDue) {
            report(AnswerSource.NEAR);
            value(key.key(), value);
            if (isDue) {
                dueCopies.add(key);
            }
        }

        /** Reports that the call fails as a whole: its keys that have no answer yet get none. */
        void fails() {
            while (reported < keys.size()) {
                report(AnswerSource.FAILED);
            }
        }

        private void report(AnswerSource source) {
            reported++;
            AgeBound bound = loader.bound();
            if (bound == null || bound.isRead()) {
                events.answer(source);
            }
        }

        private void value(K key, @Nullable V value) {
            if (value != null && values.put(key, reads.copy(value)) == null) {
                answered++;
            }
        }

        private void stored(Lookup<K, V> lookup) {
            Stored<V> stored = requireNonNull(lookup.stored());
            reported++;
            events.answer(stored.source(), stored.ageMillis());
            value(lookup.key(), stored.value());
        }

        @Override
        public void hit(Lookup<K, V> lookup) {
            stored(lookup);
            refresh.offerDue(List.of(lookup), List.of(), loader);
        }

        @Override
        public void outcome(Lookup<K, V> lookup, LoadResult<V> outcome) {
            try {
                V value = outcome.get(lookup.storeKey());
                report(outcome.source());
                value(lookup.key(), value);
            } catch (CacheException e) {
                failure(lookup, e);
            }
        }

        @Override
        public void late(Lookup<K, V> lookup, CacheException e) {
            if (late == null) {
                failure(lookup, e);
            } else {
                CacheException failure = late.isEmpty() ? e : Failures.notWaitedFor(lookup.storeKey(), e);
                late.putIfAbsent(lookup.named(), failure);
            }
        }

        @Override
        public void failure(Lookup<K, V> lookup, CacheException e) {
            LoadResult<V> copy = loader.reloads() ? null : staleFallback.insteadOf(e, lookup);
            if (copy == null) {
                failures.put(lookup.key(), e);
                report(AnswerSource.FAILED);
            } else {
                outcome(lookup, copy);
            }
        }

        @Override
        public @Nullable LoadResult<V> insteadOfLoad(Lookup<K, V> lookup) {
            return loader.reloads() ? null : staleFallback.insteadOfLoad(lookup);
        }

        /** Takes the reason why the keys, none of which was read, have no answer. */
        void unread(List<NamedKey<K>> unread, Function<String, CacheException> failure) {
            for (NamedKey<K> each : unread) {
                String storeKey = each.storeKey();
                failure(Lookup.unanswered(each.key(), storeKey, Ticket.NONE), failure.apply(storeKey));
            }
        }

        /** Returns the values that there are; throws a {@link BulkLoadException} if a key has no answer. */
        @SuppressWarnings("NullAway") // what is null is removed
        Map<K, V> result() {
            if (answered < values.size()) {
                values.values().removeIf(Objects::isNull);
            }
            if (!failures.isEmpty()) {
                Map<K, CacheException> inOrder = new LinkedHashMap<>();
                keys.forEach(
                        each -> inOrder.computeIfAbsent(each.key(), failures::get)); // nothing, if it has an answer
                throw Failures.bulk(cache, keys.size(), values, inOrder);
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
    }
}
