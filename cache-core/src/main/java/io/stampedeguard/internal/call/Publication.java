package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.LoadedValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        if (loaded.isNotModified() && loaded.asOf() == null && seen != null && before != null) {
            Entry written = requireNonNull(entry);
            byte[] head = Entry.headOf(written.encode());
            boolean hasSamePayload = written.codec().equals(before.entry().codec());
            if (hasSamePayload && head.length == before.entry().headLength()) { // that of an earlier format is shorter
                return new LeaseEnd.Extend(seen, head, written.lifetime(), tags);
            }
        }
        return stored();
    }

    /** Returns the end that stores the entry as a whole. */
    LeaseEnd stored() {
        Entry written = requireNonNull(entry);
        Instant asOf = loaded.asOf();
        return new LeaseEnd.Publish(
                written.encode(), written.lifetime(), asOf == null ? null : asOf.toEpochMilli(), tags);
    }

    /** An entry whose successor must not be cached is removed; one that is only not replaced stays. */
    private LeaseEnd shown(Duration leaseTtl) {
        byte[] shown = entry == null || !isForOthers(false) ? null : entry.encode();
        return new LeaseEnd.Pass(shown, leaseTtl, !target.keepsEntry() && !isWanted, tags);
    }
}
