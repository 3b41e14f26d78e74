package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.ReadBack;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of loaded values: their entries, and how their leases end. <em>Thread-safe</em>, as far as each request is confined
 * to one thread.
 */
final class Publications<K, V> {
    private static final long CLOCK_PRECISION_MILLIS = 100;

    private final SharedStore store;
    private final EntryWriter<V> writer;
    private final ReadBack<V> readBack;
    private final CachePolicy policy;
    private final CacheEvents events;
    private final TimeSource time;

    Publications(CacheContext context, SharedStore store, EntryWriter<V> writer, ReadBack<V> readBack) {
        this.store = store;
        this.writer = writer;
        this.readBack = readBack;
        this.policy = context.policy();
        this.events = context.events();
        this.time = context.time();
    }

    /**
     * What was loaded for a key; {@code entry} is {@code null} if the value cannot be encoded or is too large, {@code isWanted} whether
     * policy and loader want it in the store. <em>Immutable.</em>
     */
    record Publication<K, V>(
            KeyRequest<K, V> target,
            LoadedValue<V> loaded,
            @Nullable V value,
            @Nullable Entry entry,
            boolean isWanted,
            boolean isStored,
            List<String> tags,
            long nanos) {
        /** Whether others may have the value: one as of an earlier time only if that was compared with the last change. */
        boolean isForOthers(boolean isCompared) {
            return isCompared || loaded.asOf() == null;
        }

        /** Returns how the lease ends: an entry that was not modified is extended, one that is not to be stored is shown to others. */
        LeaseEnd end(Duration leaseTtl) {
            if (!isStored) {
                return shown(leaseTtl);
            }
            Stored<V> before = target.lookup().stored();
            LeaseToken seen = target.lookup().seen();
            Entry written = requireNonNull(entry);
            byte[] encoded = written.encode();
            boolean isKept = loaded.isNotModified() && loaded.asOf() == null;
            if (isKept
                    && seen != null
                    && before != null
                    && written.codec().equals(before.entry().codec())) {
                byte[] head = Entry.headOf(encoded);
                if (head.length == before.entry().headLength()) { // that of an earlier format is shorter
                    return new LeaseEnd.Extend(seen, head, written.lifetime(), tags);
                }
            }
            return stored(written, encoded);
        }

        /** Returns the end that stores the entry as a whole. */
        LeaseEnd stored() {
            Entry written = requireNonNull(entry);
            return stored(written, written.encode());
        }

        private LeaseEnd stored(Entry written, byte[] encoded) {
            Instant asOf = loaded.asOf();
            return new LeaseEnd.Publish(encoded, written.lifetime(), asOf == null ? null : asOf.toEpochMilli(), tags);
        }

        /** An entry whose successor must not be cached is removed; one that is only not replaced stays. */
        private LeaseEnd shown(Duration leaseTtl) {
            byte[] shown = entry == null || !isForOthers(false) ? null : entry.encode();
            return new LeaseEnd.Pass(shown, leaseTtl, !target.keepsEntry() && !isWanted, tags);
        }
    }

    /** Encodes what was loaded for a key within {@code nanos}, and gives the request its result. */
    Publication<K, V> of(KeyRequest<K, V> target, LoadedValue<V> loaded, long nanos) {
        Stored<V> kept = loaded.isNotModified() ? target.lookup().stored() : null;
        V value = kept == null ? loaded.value() : kept.value();
        target.loaded(new LoadResult.Value<>(value, AnswerSource.LOADED));
        Instant asOf = loaded.asOf();
        if (asOf != null) { // where no script sees the generation, whoever reads the entry compares them
            long ageMillis = time.wallMillis() - asOf.toEpochMilli() + CLOCK_PRECISION_MILLIS;
            target.stamp(Math.min(target.stamp(), store.currentTimeMillis() - ageMillis));
        }
        boolean isWanted = writer.isWanted(loaded, value);
        Entry entry = entry(target, loaded, kept, isWanted, nanos);
        boolean isStored = entry != null && isWanted && !target.keepsEntry();
        if (entry != null && kept == null) {
            readBack.check(target.key(), value, entry.payload());
        }
        List<String> tags = EntryWriter.tagsOf(loaded, kept);
        return new Publication<>(target, loaded, value, entry, isWanted, isStored, tags, nanos);
    }

    @SuppressWarnings("CatchingUnchecked") // user code
    private @Nullable Entry entry(
            KeyRequest<K, V> target, LoadedValue<V> loaded, @Nullable Stored<V> kept, boolean isWanted, long nanos) {
        HeldLease lease = target.lease();
        LeaseToken token = lease == null ? LeaseToken.next() : lease.token();
        try {
            return isWanted
                    ? writer.write(token, loaded, nanos, kept, target.stamp())
                    : writer.writeToShow(token, loaded, nanos, kept, target.stamp(), policy.leaseTtl());
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(
                    EntryWriter.sourceOf(e),
                    e,
                    "the value of " + KeyEncoder.shown(target.storeKey()) + " is returned, but not stored");
            return null;
        }
    }
}
