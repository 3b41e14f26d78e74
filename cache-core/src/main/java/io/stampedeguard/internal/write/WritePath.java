package io.stampedeguard.internal.write;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LeaseEnds;
import io.stampedeguard.internal.load.RefreshQueue;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.storage.PendingChanges;
import io.stampedeguard.internal.storage.ReadBack;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.LookupResult;
import io.stampedeguard.loader.StoreException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The path of changes by callers: adds a new key to the key filter, then changes the store or queues the change ({@link
 * PendingChanges}), then outdates this process's copies of the key, even if the change failed. The order matters: copies that are
 * read after they were outdated are read behind the queued change. <em>Thread-safe.</em>
 */
public final class WritePath<K, V> {
    /** One request for so many keys keeps other clients of the store waiting for some milliseconds. */
    private static final int KEYS_AT_ONCE = 1_000;

    private final CacheEvents events;
    private final boolean servesStale;
    private final KeyAdmission<K> admission;
    private final Marks marks;
    private final EntryWriter<V> writer;
    private final ReadBack<V> readBack;
    private final PendingChanges changes;
    private final ObservedStore store;
    private final NearCache<K, V> near;
    private final SingleFlight<?> flights;
    private final RefreshQueue reloads;
    private final LeaseEnds leases;

    public WritePath(
            CacheContext context,
            KeyAdmission<K> admission,
            Marks marks,
            EntryWriter<V> writer,
            ReadBack<V> readBack,
            ObservedStore store,
            NearCache<K, V> near,
            SingleFlight<?> flights,
            RefreshQueue reloads,
            LeaseEnds leases) {
        this.events = context.events();
        this.servesStale = context.policy().servesStale();
        this.admission = admission;
        this.marks = marks;
        this.writer = writer;
        this.readBack = readBack;
        this.changes = store.pending();
        this.store = store;
        this.near = near;
        this.flights = flights;
        this.reloads = reloads;
        this.leases = leases;
    }

    /** Stores what the caller has loaded; removes the key if that is not to be cached. */
    public void put(K key, LoadedValue<V> loaded) {
        Deadline deadline = changes.deadlineOfPut(); // first: whatever delays this call from now on counts
        String storeKey = admission.storeKey(key);
        Entry entry = admitted(key, storeKey, loaded, Entry.stamp(marks));
        if (entry == null) {
            invalidate(storeKey);
            return;
        }
        try {
            if (changes.put(storeKey, entry, deadline)) {
                events.report(EventType.STORED, entry.payload().remaining());
            }
        } finally {
            outdate(storeKey);
        }
    }

    /**
     * Stores what the caller has loaded, if the fence still holds; returns whether the store has taken it. Unlike other changes, this
     * one is not queued.
     */
    public boolean put(K key, LoadedValue<V> loaded, LookupResult.Fence given) {
        Deadline deadline = changes.deadlineOfPut();
        String storeKey = admission.storeKey(key);
        if (!(given instanceof KeyFence mine) || !mine.key().equals(storeKey)) {
            throw new IllegalArgumentException("the fence is not of a look-up of " + KeyEncoder.shown(storeKey)
                    + (given instanceof KeyFence other ? ", but of " + KeyEncoder.shown(other.key()) : ""));
        }
        Fence fence = mine.fence();
        Entry entry = admitted(key, storeKey, loaded, fence.stamp());
        if (entry == null) {
            invalidate(storeKey);
        }
        return entry != null
                && fence.token() != null
                && !Entry.isOutdated(fence.stamp(), entry.tags(), marks)
                && putIfUnchanged(storeKey, entry, fence, deadline);
    }

    private boolean putIfUnchanged(String storeKey, Entry entry, Fence fence, Deadline deadline) {
        boolean isStored = false;
        try {
            Change put = entry.put(fence);
            isStored = store.change(storeKey, put, deadline.remaining());
            if (isStored) {
                events.report(EventType.STORED, entry.payload().remaining());
            }
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e); // it may be stored
        } finally {
            outdate(storeKey); // also if it is refused: the copy that was looked up is older than what the store has
        }
        return isStored;
    }

    /** Returns the entry of a loaded value, whose key is then in the key filter; {@code null} if it is not to be cached. */
    private @Nullable Entry admitted(K key, String storeKey, LoadedValue<V> loaded, long stamp) {
        V value = loaded.value();
        Entry entry = writer.isWanted(loaded, value) ? encode(storeKey, loaded, stamp) : null;
        if (entry != null) {
            readBack.check(key, value, entry.payload());
        }
        admission.requireValid(key);
        if (value != null) {
            admission.add(key);
        }
        return entry;
    }

    /** Stores values one after another: each in its own time, since a put takes effect during its request or never. */
    public void putAll(Map<K, V> values) {
        values.keySet().forEach(admission::storeKey); // first: nothing is stored if a key is invalid
        forEach(values.entrySet(), entry -> put(entry.getKey(), LoadedValue.of(entry.getValue())));
    }

    /** Adds a new key to the key filter, and removes what is cached for it. */
    public void keyCreated(K key) {
        String storeKey = admission.storeKey(key); // first: an invalid key is the caller's error, not the filter's
        admission.requireValid(key);
        admission.add(key);
        invalidate(storeKey);
    }

    public void invalidate(K key) {
        invalidate(admission.storeKey(key));
    }

    private void invalidate(String storeKey) {
        try {
            changes.invalidate(storeKey);
        } finally {
            outdate(storeKey);
        }
    }

    /** Removes keys: many in one request, then each that had no answer by itself, to be queued if it has none again. */
    public void invalidateAll(Collection<? extends K> keys) {
        Set<String> unanswered = new LinkedHashSet<>();
        keys.forEach(key -> unanswered.add(admission.storeKey(key)));
        List<String> all = List.copyOf(unanswered);
        try {
            unanswered.removeAll(removedTogether(all));
            forEach(unanswered, changes::invalidate);
        } finally {
            all.forEach(this::outdate);
        }
    }

    /** Returns the keys whose removal the store has answered. Those with a queued change are not sent: that comes first. */
    private Set<String> removedTogether(List<String> keys) {
        List<String> sent = keys.stream().filter(key -> !changes.contains(key)).toList();
        Set<String> removed = new HashSet<>();
        try {
            for (int from = 0; from < sent.size(); from += KEYS_AT_ONCE) {
                List<String> some = sent.subList(from, Math.min(sent.size(), from + KEYS_AT_ONCE));
                removed.addAll(store.invalidate(some, store.patience()).keySet());
            }
        } catch (StoreException unanswered) {
            // already reported; the others are sent one by one
        }
        return removed;
    }

    /** Makes changes one after another, also after one that failed; then throws the first failure. */
    private static <T> void forEach(Collection<T> all, Consumer<? super T> change) {
        StoreException first = null;
        int failures = 0;
        for (T each : all) {
            try {
                change.accept(each);
            } catch (StoreException e) {
                first = first == null ? e : first;
                failures++;
            }
        }
        if (first != null) {
            throw failures == 1
                    ? first
                    : new StoreException(
                            failures + " of " + all.size() + " changes failed, the first one: " + first.getMessage(),
                            first);
        }
    }

    /** Makes the value of a key stale; removes it if stale values are never served. */
    public void expire(K key) {
        String storeKey = admission.storeKey(key);
        if (!servesStale) {
            invalidate(storeKey);
            return;
        }
        try {
            changes.expire(storeKey);
        } finally {
            outdate(storeKey);
        }
    }

    /** Removes all entries; with a tag only those that have it. */
    public void invalidateAll(String... tag) {
        changeAll(new Change.Invalidate(), tag);
    }

    /** Makes all entries stale, with a tag only those that have it; removes them if stale values are never served. */
    public void expireAll(String... tag) {
        changeAll(servesStale ? Entry.expiry() : new Change.Invalidate(), tag);
    }

    /** In the order of a change of one key. With a tag, no lease ends, and no cool-down: nobody knows which tags values will have. */
    private void changeAll(Change each, String... tag) {
        Set<String> tags = Set.copyOf(LoadedValue.absent().tags(tag).tags()); // checked as those of a value are
        try {
            changes.changeAll(each, tags);
        } finally {
            leases.changedAll();
            near.outdateAll();
            flights.forgetAll();
            if (tags.isEmpty()) {
                reloads.wakeAll();
                leases.forgetAll();
            }
        }
    }

    /**
     * Ensures that later callers get neither a value read or loaded before, or being loaded now, nor a failure of a cool-down that has
     * ended: no caller joins the present flight of the key any more, the key rests no longer, and nothing is assumed of its lease.
     */
    private void outdate(String storeKey) {
        leases.changed(storeKey);
        near.outdate(storeKey);
        flights.forget(storeKey);
        reloads.wake(storeKey);
        leases.forget(storeKey);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private Entry encode(String storeKey, LoadedValue<V> loaded, long stamp) {
        try {
            return writer.write(LeaseToken.next(), loaded, 0, null, stamp);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            String key = KeyEncoder.shown(storeKey);
            throw new IllegalArgumentException(
                    EntryWriter.sourceOf(e) == FaultSource.SIZE
                            ? "the value of " + key + " is too large"
                            : "the codec cannot encode the value of " + key,
                    e);
        }
    }
}
