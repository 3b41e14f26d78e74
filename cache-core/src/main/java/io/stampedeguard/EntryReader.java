package io.stampedeguard;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.entry.Entry;
import io.stampedeguard.entry.EntryCodec;
import io.stampedeguard.entry.Freshness;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.store.SharedStore;
import org.jspecify.annotations.Nullable;

/** Makes sense of what the store holds: a usable value, or a miss. <em>Thread-safe.</em> */
final class EntryReader<V> {
    private final ValueCodec<V> codec;
    private final SharedStore store;
    private final CacheEvents events;

    EntryReader(ValueCodec<V> codec, SharedStore store, CacheEvents events) {
        this.codec = codec;
        this.store = store;
        this.events = events;
    }

    /** Tells the value, or {@code null} if there is none to be served. Tells the outcome to the listener. */
    @Nullable
    Stored<V> read(byte @Nullable [] bytes) {
        if (bytes == null) {
            events.read(ReadOutcome.ABSENT);
            return null;
        }
        Entry entry = EntryCodec.decode(bytes);
        if (entry == null) {
            events.read(ReadOutcome.DAMAGED);
            return null;
        }
        Freshness freshness = entry.freshnessAt(store.currentTimeMillis());
        if (freshness == Freshness.EXPIRED || (freshness == Freshness.STALE && entry.negative())) {
            events.read(ReadOutcome.ABSENT);
            return null;
        }
        return valueOf(entry, freshness == Freshness.STALE);
    }

    private @Nullable Stored<V> valueOf(Entry entry, boolean stale) {
        V value = null;
        if (!entry.negative()) {
            value = decode(entry);
            if (value == null) {
                events.read(ReadOutcome.DAMAGED);
                return null;
            }
        }
        events.read(stale ? ReadOutcome.STALE : entry.negative() ? ReadOutcome.NEGATIVE : ReadOutcome.FRESH);
        return new Stored<>(value, stale);
    }

    @SuppressWarnings("CatchingUnchecked") // foreign code
    private @Nullable V decode(Entry entry) {
        try {
            return codec.decode(entry.payload());
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }
}
