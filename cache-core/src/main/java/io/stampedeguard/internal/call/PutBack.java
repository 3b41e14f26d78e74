package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LeaseEnds;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.NearCache.Lost;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.NearTier;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InvalidationEvents.LostEntry;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts back entries that the store has lost by a restart, from the near cache of this process and in place of a load (ADR 0037):
 * <ol>
 *   <li>the near cache has a fresh copy that was current when the store ended the connection on which it reports changes;
 *   <li>the lease is requested as for a load, so one process of the fleet puts a key back;
 *   <li>the flight leaves the map, and the entry is stored with its creation and expiries, if the store confirms under the lease
 *       that it had stopped then and started a short while ago, and that nobody has changed the key since. This answers all
 *       followers: the lease excludes changes since it was granted, the store those before;
 *   <li>otherwise the lease is released, and the key is loaded.
 * </ol>
 *
 * <p>No loader is invoked, so no permit is taken. <em>Thread-safe.</em>
 */
public final class PutBack<K, V> {
    private final SharedStore store;
    private final NearTier<K, V> near;
    private final EntryWriter<V> writer;
    private final LeaseClient<K, V> leaseClient;
    private final LeaseEnds leases;
    private final TimeSource time;
    private final CacheEvents events;

    public PutBack(
            CacheContext context,
            SharedStore store,
            NearTier<K, V> near,
            EntryWriter<V> writer,
            LeaseClient<K, V> leaseClient,
            LeaseEnds leases) {
        this.store = store;
        this.near = near;
        this.writer = writer;
        this.leaseClient = leaseClient;
        this.leases = leases;
        this.time = context.time();
        this.events = context.events();
    }

    /** A key under its lease, with its copy, and the entry that is to be stored. */
    private record Ready<K, V>(KeyLoad<K, V> target, Lost<V> lost, EntryWriter.Written entry) {}

    /** Puts back what can be put back, and completes the flights; returns the results by the names of the keys. */
    public Map<String, LoadResult<V>> of(Collection<KeyLoad<K, V>> loads, Deadline deadline) {
        List<KeyLoad<K, V>> lost = new ArrayList<>(0);
        for (KeyLoad<K, V> load : loads) {
            if (near.lost(load.look()) != null) {
                lost.add(load);
            }
        }
        return lost.isEmpty() ? Map.of() : putBack(granted(lost, deadline));
    }

    private List<KeyLoad<K, V>> granted(List<KeyLoad<K, V>> lost, Deadline deadline) {
        lost.forEach(load -> load.flight().beginAttempt());
        Map<String, LeaseClient.Answer> answers;
        try {
            answers = leaseClient.requestAll(lost, deadline);
        } catch (WaitTimeoutException e) { // no connection to the store: there is none for the load either
            leases.giveBack(lost.stream().map(KeyLoad::renewToken).toList());
            return List.of();
        }
        List<KeyLoad<K, V>> granted = new ArrayList<>(lost.size());
        List<HeldLease> unanswered = new ArrayList<>(0);
        for (KeyLoad<K, V> load : lost) {
            LeaseClient.Answer answer = requireNonNull(answers.get(load.storeKey()));
            if (answer.isGranted()) {
                granted.add(load.under(answer.lease()));
            } else if (answer.lease() != null) {
                unanswered.add(load.renewToken()); // the load must not take it for its own, if it is granted late
            }
        }
        leases.giveBack(unanswered);
        return granted;
    }

    private Map<String, LoadResult<V>> putBack(List<KeyLoad<K, V>> granted) {
        List<Ready<K, V>> all = prepareAll(granted);
        Map<HeldLease, LostEntry> entries = new LinkedHashMap<>();
        for (Ready<K, V> ready : all) {
            HeldLease lease = leaseOf(ready.target());
            EntryWriter.Written entry = ready.entry();
            entries.put(
                    lease,
                    new LostEntry(
                            new NewEntry(lease, entry.bytes(), entry.ttl()),
                            ready.lost().run(),
                            ready.lost().answering()));
        }
        List<HeldLease> unused = new ArrayList<>(0);
        for (KeyLoad<K, V> target : granted) {
            HeldLease lease = leaseOf(target);
            if (!entries.containsKey(lease)) {
                unused.add(lease);
            }
        }
        leases.abandon(unused);
        all.forEach(ready -> ready.target().flight().detach());
        Map<String, Boolean> stored = leases.restore(entries);
        Map<String, LoadResult<V>> results = new HashMap<>(all.size() * 2);
        for (Ready<K, V> ready : all) {
            String storeKey = ready.target().storeKey();
            if (Boolean.TRUE.equals(stored.get(storeKey))) {
                results.put(storeKey, complete(ready));
            }
        }
        granted.forEach(target -> target.under(null).renewToken()); // a release may still be on its way
        return results;
    }

    private static HeldLease leaseOf(KeyLoad<?, ?> target) {
        return requireNonNull(target.certainLease());
    }

    /** Prepares those that are still lost. If the codec throws an error that ends the call, all leases are released. */
    private List<Ready<K, V>> prepareAll(List<KeyLoad<K, V>> granted) {
        List<Ready<K, V>> all = new ArrayList<>(granted.size());
        boolean isPrepared = false;
        try {
            for (KeyLoad<K, V> target : granted) {
                Ready<K, V> ready = prepare(target, leaseOf(target));
                if (ready != null) {
                    all.add(ready);
                }
            }
            isPrepared = true;
        } finally {
            if (!isPrepared) {
                leases.giveBack(granted.stream().map(PutBack::leaseOf).toList());
            }
        }
        return all;
    }

    @SuppressWarnings("CatchingUnchecked") // user code
    private @Nullable Ready<K, V> prepare(KeyLoad<K, V> target, HeldLease lease) {
        Lost<V> lost = near.lost(target.look()); // again: a change may have been reported meanwhile
        if (lost == null) {
            return null;
        }
        long nowMillis = store.currentTimeMillis();
        long nowNanos = time.monotonicNanos(); // last: it expires no later than it would have
        try {
            return new Ready<>(target, lost, writer.write(lease.token(), lost.copy(), nowMillis, nowNanos));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }

    private LoadResult<V> complete(Ready<K, V> ready) {
        Entry entry = ready.entry().entry();
        V value = ready.lost().copy().value();
        near.keep(ready.target().look(), value, entry);
        LoadResult<V> result = new LoadResult.Value<>(value, AnswerSource.NEAR);
        ready.target().flight().completeForAll(result);
        events.lease(LeaseOutcome.PUT_BACK);
        return result;
    }
}
