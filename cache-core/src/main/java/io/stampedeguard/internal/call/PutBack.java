package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.lease.KeyLoad;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LeaseEnds;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy;
import io.stampedeguard.internal.near.NearCache.Lost;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.NearTier;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InvalidationEvents.LostEntry;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts back entries that the store has lost by a restart, from the near cache of this process and in place of a load (ADR 0037):
 * <ol>
 *   <li>the near cache has a fresh copy that was current when the store ended the connection on which it reports changes;
 *   <li>the lease is requested as for a load, so one process of the fleet puts a key back;
 *   <li>the entry is stored with its creation and expiries, if the store confirms under the lease that it had stopped then and
 *       started a short while ago, and that nobody has changed the key since. This answers the followers that joined before: the
 *       lease excludes changes since it was granted, the store those before. Those that join meanwhile retry;
 *   <li>otherwise the lease is released, and the key is loaded. The flight goes on;
 *   <li>if the store gives another answer than the lease, such as that another process holds it, the load begins with that.
 * </ol>
 *
 * <p>Many keys are put back in portions, as they are published. If one is not answered completely, the rest is loaded: a store that
 * is silent costs a caller no more than without this. No loader is invoked, so no permit is taken. <em>Thread-safe.</em>
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
    private record Ready<K, V>(KeyLoad<K, V> target, Copy<V> copy, Entry entry, LostEntry lost) {}

    /**
     * Puts back what can be put back, and completes these flights; passes on each result at once. Returns the store's answers in
     * place of leases, by the names of the keys: the load need not ask again.
     */
    public Map<String, LeaseAttempt> of(
            Collection<KeyLoad<K, V>> loads, Deadline deadline, BiConsumer<KeyLoad<K, V>, LoadResult<V>> results) {
        Map<String, KeyLoad<K, V>> lost = new LinkedHashMap<>(0);
        for (KeyLoad<K, V> load : loads) {
            if (near.lost(load.look()) != null) {
                lost.put(load.storeKey(), load);
            }
        }
        Map<String, LeaseAttempt> instead = new HashMap<>(0);
        if (lost.isEmpty()) {
            return instead;
        }
        for (List<String> portion : Publisher.portions(store, lost.keySet())) {
            List<KeyLoad<K, V>> some =
                    portion.stream().map(key -> requireNonNull(lost.get(key))).toList();
            if (!isAnswered(some, deadline, results, instead)) {
                return instead;
            }
        }
        return instead;
    }

    /** Puts back a portion; returns whether the store has answered for all of it. */
    private boolean isAnswered(
            List<KeyLoad<K, V>> portion,
            Deadline deadline,
            BiConsumer<KeyLoad<K, V>, LoadResult<V>> results,
            Map<String, LeaseAttempt> instead) {
        portion.forEach(load -> load.flight().beginAttempt());
        portion.forEach(KeyLoad::requestOnce); // the load will request it again
        Map<String, LeaseClient.Answer> answers;
        try {
            answers = leaseClient.requestAll(portion, deadline);
        } catch (WaitTimeoutException e) { // no connection to the store: there is none for the load either
            leases.giveBack(portion.stream().map(KeyLoad::renewToken).toList());
            return false;
        }
        List<KeyLoad<K, V>> granted = new ArrayList<>(portion.size());
        List<HeldLease> unknown = new ArrayList<>(0);
        boolean isAnswered = true;
        for (KeyLoad<K, V> load : portion) {
            LeaseClient.Answer answer = requireNonNull(answers.get(load.storeKey()));
            LeaseAttempt other = answer.isAnswered() ? answer.instead() : null;
            if (answer.isGranted()) {
                granted.add(load.under(answer.lease()));
            } else if (answer.lease() != null) {
                unknown.add(load.renewToken()); // the load must not take it for its own, if it is granted late
            } else if (other != null) {
                instead.put(load.storeKey(), other);
            }
            isAnswered &= answer.isAnswered();
        }
        leases.giveBack(unknown);
        return isRestored(granted, results) && isAnswered;
    }

    /** Returns whether the store has answered for all. */
    private boolean isRestored(List<KeyLoad<K, V>> granted, BiConsumer<KeyLoad<K, V>, LoadResult<V>> results) {
        List<Ready<K, V>> all = prepareAll(granted);
        Map<HeldLease, LostEntry> entries = new LinkedHashMap<>();
        all.forEach(ready -> entries.put(leaseOf(ready.target()), ready.lost()));
        leases.abandon(granted.stream()
                .map(PutBack::leaseOf)
                .filter(lease -> !entries.containsKey(lease))
                .toList());
        all.forEach(ready -> ready.target().flight().beginAttempt());
        Map<String, Boolean> stored = leases.restore(entries);
        granted.forEach(target -> target.under(null).renewToken()); // a release may still be on its way
        for (Ready<K, V> ready : all) {
            if (Boolean.TRUE.equals(stored.get(ready.target().storeKey()))) {
                results.accept(ready.target(), complete(ready));
            }
        }
        return stored.size() == all.size();
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

    /** Reads the store's clock first: the first answer appears earlier, if this process stalls here, and the expiries too. */
    @SuppressWarnings("CatchingUnchecked") // user code
    private @Nullable Ready<K, V> prepare(KeyLoad<K, V> target, HeldLease lease) {
        long nowMillis = store.currentTimeMillis();
        Lost<V> lost = near.lost(target.look()); // again: a change may have been reported meanwhile
        if (lost == null) {
            return null;
        }
        Copy<V> copy = lost.copy();
        try {
            EntryWriter.Written entry = writer.write(lease.token(), copy, nowMillis, time.monotonicNanos());
            NewEntry stored = new NewEntry(lease, entry.bytes(), entry.ttl());
            long answered = nowMillis - lost.answering().toMillis();
            return new Ready<>(target, copy, entry.entry(), new LostEntry(stored, lost.run(), answered));
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(
                    EntryWriter.sourceOf(e),
                    e,
                    "the copy of " + KeyText.shown(target.storeKey()) + " is not put back into the store");
            return null;
        }
    }

    private LoadResult<V> complete(Ready<K, V> ready) {
        V value = ready.copy().value();
        near.keep(ready.target().look(), value, ready.entry());
        LoadResult<V> result = new LoadResult.Value<>(value, AnswerSource.NEAR);
        ready.target().flight().completeForEarly(result);
        events.lease(LeaseOutcome.PUT_BACK);
        return result;
    }
}
