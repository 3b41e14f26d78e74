package io.stampedeguard.internal.read;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.flight.Flight.Membership;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.near.Copy.Ticket;
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
    record Followed<K, V>(Look<K, V> look, Membership<LoadResult<V>> membership) {}

    /** Begins a call of this thread for a number of keys, to be added next; it waits until the deadline. */
    Batch batch(int size, LoadFunction<K, V> loader, Deadline deadline) {
        return new Batch(size, loader, deadline);
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

    /** Leaves the reads of keys to the requests for their leases, where possible; otherwise identical to {@link #read}. */
    List<Look<K, V>> readFew(List<NamedKey<K>> keys, Batch batch) {
        List<NamedKey<K>> unread = new ArrayList<>();
        List<NamedKey<K>> others = new ArrayList<>();
        for (NamedKey<K> each : keys) {
            (mayLeaseUnread(each.key(), each.storeKey()) ? unread : others).add(each);
        }
        List<Look<K, V>> looks = new ArrayList<>(unread.isEmpty() ? List.of() : reads.unreadAll(unread));
        looks.addAll(readAll(others, batch));
        return taken(looks, batch);
    }

    /** Reads keys, and requests reloads of those that are due; returns the looks at keys without an answer. */
    List<Look<K, V>> read(List<NamedKey<K>> keys, Batch batch) {
        return taken(readAll(keys, batch), batch);
    }

    List<Look<K, V>> readAll(List<NamedKey<K>> keys, Batch batch) {
        return keys.isEmpty() ? List.of() : reads.lookAll(keys, batch.deadline.remaining());
    }

    /** Reads the only key of a call. Throws as {@link StoreReads#look} does. */
    Look<K, V> readOnly(Batch batch) {
        NamedKey<K> only = batch.keys.get(0);
        return reads.look(only.key(), only.storeKey(), batch.deadline.remaining());
    }

    /** Takes what was read as answers, and requests reloads of what is due; returns the looks at keys without an answer. */
    List<Look<K, V>> taken(List<Look<K, V>> looks, Batch batch) {
        List<Look<K, V>> open = new ArrayList<>();
        for (Look<K, V> look : looks) {
            if (look.stored() == null) {
                open.add(look);
            } else {
                batch.stored(look);
            }
        }
        if (open.size() < looks.size() || !batch.dueCopies.isEmpty()) {
            refresh.offerDue(looks, List.copyOf(batch.dueCopies), batch.loader);
            batch.dueCopies.clear();
        }
        return open;
    }

    /**
     * Loads keys for which the store had no answer, or waits for other callers that load them; afterwards, each has an answer
     * or a failure. A loader of one key is invoked for one key after another, each in its own flight: it may therefore request
     * another of these keys, and each key has the whole {@code loadTimeout}, and the whole {@code waitTimeout} as well, as by
     * {@code get}; but what the call waits for in vain adds up to one {@code waitTimeout}.
     */
    void resolve(List<Look<K, V>> misses, Batch batch) {
        if (batch.loader.takesMany()) {
            resolveTogether(misses, batch);
        } else {
            boolean isFirst = true;
            for (Look<K, V> miss : misses) {
                if (!isFirst && !batch.hasWaitedInVain) {
                    batch.deadline.restart(waitTimeoutNanos);
                }
                isFirst = false;
                resolveTogether(List.of(miss), batch);
            }
        }
    }

    private void resolveTogether(List<Look<K, V>> misses, Batch batch) {
        List<Look<K, V>> open = unanswered(misses, batch);
        while (!open.isEmpty()) {
            open = unanswered(follow(lead(open, batch), batch), batch);
        }
    }

    /** Answers keys for which a copy in this process comes before the loader; returns the looks at the others. */
    List<Look<K, V>> unanswered(List<Look<K, V>> misses, Batch batch) {
        List<Look<K, V>> stale = new ArrayList<>();
        List<Look<K, V>> open = new ArrayList<>(misses.size());
        for (Look<K, V> look : misses) {
            String storeKey = look.storeKey();
            if (!look.storeAnswers() && Thread.currentThread().isInterrupted()) { // this may be why it did not answer
                InterruptedException e = new InterruptedException("during a request to the store");
                batch.failure(look, Failures.interrupted(storeKey, e));
                continue;
            }
            LoadResult<V> copy = look.needsFallback() ? staleFallback.recent(look, stale::add) : null;
            if (copy != null) {
                batch.outcome(look, copy);
            } else if (batch.loading.contains(storeKey)) {
                batch.failure(look, LoadPermits.recursion(storeKey));
            } else {
                open.add(look);
            }
        }
        if (!stale.isEmpty()) {
            refresh.offerMissing(stale, batch.loader);
        }
        return open;
    }

    /** Joins flights, and loads keys that no other caller loads; returns the flights of other callers that it has joined. */
    List<Followed<K, V>> lead(List<Look<K, V>> misses, Batch batch) {
        List<Followed<K, V>> followed = new ArrayList<>();
        List<Look<K, V>> open = misses;
        while (!open.isEmpty()) {
            List<NamedKey<K>> again = fly(open, followed, batch);
            if (!batch.hits.isEmpty()) {
                refresh.offerDue(List.copyOf(batch.hits), List.of(), batch.loader);
                batch.hits.clear();
            }
            open = unanswered(read(again, batch), batch);
        }
        return followed;
    }

    /** Returns the keys that begin again, as those held by other processes while some were loaded. */
    private List<NamedKey<K>> fly(List<Look<K, V>> open, List<Followed<K, V>> followed, Batch batch) {
        return flights.joinAll(open, memberships -> {
            List<KeyLoad<K, V>> led = new ArrayList<>();
            for (int i = 0; i < memberships.size(); i++) {
                Look<K, V> look = open.get(i);
                Membership<LoadResult<V>> membership = memberships.get(i);
                if (membership.leads()) {
                    led.add(KeyLoad.forCaller(look, membership.flight()));
                } else {
                    followed.add(new Followed<>(look, membership));
                }
            }
            return led.isEmpty() ? List.of() : batch.leader().lead(led);
        });
    }

    /** Waits for flights, and reads the keys that have no result; returns the looks at those that must begin again. */
    private List<Look<K, V>> follow(List<Followed<K, V>> followed, Batch batch) {
        List<NamedKey<K>> again = new ArrayList<>();
        Map<String, WaitTimeoutException> late = new HashMap<>();
        for (Followed<K, V> each : followed) {
            Look<K, V> look = each.look;
            try {
                LoadResult<V> outcome = flights.follow(look, each.membership, batch.deadline);
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
        return readAgain(again, late, batch);
    }

    /** What is in the store when the time of a caller is over is an answer: this read is the last for its key. */
    void readLast(Look<K, V> look, WaitTimeoutException late, Batch batch) {
        if (look.storeAnswers()) {
            readAgain(List.of(new NamedKey<>(look.key(), look.storeKey())), Map.of(look.storeKey(), late), batch);
        } else {
            batch.failure(look, late);
        }
    }

    private List<Look<K, V>> readAgain(List<NamedKey<K>> again, Map<String, WaitTimeoutException> late, Batch batch) {
        List<Look<K, V>> open = new ArrayList<>();
        for (Look<K, V> look : read(again, batch)) {
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
     * One call: its keys, its loader, until when it waits, and the result of each key so far. If the store does not answer for a
     * key, an old copy of the near cache comes before an exception. <em>Not thread-safe.</em>
     */
    final class Batch implements LeaderLoad.Answers<K, V> {
        private final LoadFunction<K, V> loader;
        private final Deadline deadline;

        /** The keys that the caller's thread is loading: it would wait for itself. */
        private final Set<String> loading;

        private final List<NamedKey<K>> keys;
        private final Map<K, @Nullable V> values; // in the order of the keys, with null for those without an answer
        private final Map<K, CacheException> failures = new HashMap<>();
        private final List<NamedKey<K>> dueCopies = new ArrayList<>(0);
        private final List<Look<K, V>> hits = new ArrayList<>(0); // whose reload may be due
        private int answered; // with a value
        private int reported; // with a value, with "the origin has none", or with a failure
        private boolean hasWaitedInVain;
        private LeaderLoad<K, V>.@Nullable Leader leader; // once it leads

        private Batch(int size, LoadFunction<K, V> loader, Deadline deadline) {
            this.loader = loader;
            this.deadline = deadline;
            this.loading = flights.loadedByThisThread();
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

        private LeaderLoad<K, V>.Leader leader() {
            if (leader == null) {
                leader = leaderLoad.of(loader, deadline, this);
            }
            return leader;
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

        /** Takes the reason why the keys, none of which was read, have no answer. */
        void unread(List<NamedKey<K>> unread, Function<String, CacheException> failure) {
            for (NamedKey<K> each : unread) {
                String storeKey = each.storeKey();
                failure(Look.unanswered(each.key(), storeKey, Ticket.NONE), failure.apply(storeKey));
            }
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
