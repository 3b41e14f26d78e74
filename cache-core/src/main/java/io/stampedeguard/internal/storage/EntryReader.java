package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.internal.entry.EarlyRefresh;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.EntryCodec;
import io.stampedeguard.internal.entry.Freshness;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import org.jspecify.annotations.Nullable;

/** Decodes what the store contains: a usable value, or a miss. <em>Thread-safe.</em> */
public final class EntryReader<V> {
    private final ValueCodec<V> codec;
    private final CodecIdentity identity;
    private final SharedStore store;
    private final CachePolicy policy;
    private final CacheEvents events;

    public EntryReader(ValueCodec<V> codec, SharedStore store, CachePolicy policy, CacheEvents events) {
        this.codec = codec;
        this.identity = codec.identity();
        this.store = store;
        this.policy = policy;
        this.events = events;
    }

    /** Returns the value, or {@code null} if there is none to serve. Reports the outcome to the listener. */
    public @Nullable Stored<V> read(byte @Nullable [] bytes) {
        return bytes == null ? none() : read(bytes, store.currentTimeMillis());
    }

    /** Reports to the listener that the store has no entry; returns {@code null}. */
    @Nullable
    Stored<V> none() {
        events.read(ReadOutcome.ABSENT);
        return null;
    }

    /** Returns the value at a time by the store's clock. Otherwise identical to {@link #read(byte[])}. */
    public @Nullable Stored<V> read(byte[] bytes, long nowMillis) {
        Entry entry = EntryCodec.decode(bytes, identity);
        if (entry == null) {
            events.read(EntryCodec.isOfNewerFormat(bytes) ? ReadOutcome.INCOMPATIBLE : ReadOutcome.DAMAGED);
            return null;
        }
        Freshness freshness = entry.freshnessAt(nowMillis);
        if (freshness == Freshness.EXPIRED
                || (freshness == Freshness.STALE && (entry.negative() || !policy.servesStale()))) {
            events.read(ReadOutcome.ABSENT);
            return null;
        }
        V value = entry.negative() ? null : decode(entry);
        if (value == null && !entry.negative()) {
            events.read(ReadOutcome.INCOMPATIBLE);
            return null;
        }
        events.read(outcomeOf(entry, freshness));
        return new Stored<>(
                value,
                entry,
                sourceOf(entry, freshness),
                EarlyRefresh.isDue(entry, nowMillis, policy),
                nowMillis - entry.createdMillis());
    }

    /**
     * Returns whether bytes that {@link #read(byte[])} could not use are of use to other processes and must stay: an entry of a
     * newer format, or an undamaged one that has not expired and that this codec cannot decode; but not one of an earlier
     * version of this codec.
     */
    public boolean isForOthers(byte[] bytes) {
        Entry entry = EntryCodec.decode(bytes, identity);
        if (entry == null) {
            return EntryCodec.isOfNewerFormat(bytes);
        }
        return !entry.negative()
                && entry.freshnessAt(store.currentTimeMillis()) != Freshness.EXPIRED
                && !entry.codec().isOlderThan(identity)
                && !isReadable(entry);
    }

    private static ReadOutcome outcomeOf(Entry entry, Freshness freshness) {
        if (freshness == Freshness.STALE) {
            return ReadOutcome.STALE;
        }
        return entry.negative() ? ReadOutcome.NEGATIVE : ReadOutcome.FRESH;
    }

    private static AnswerSource sourceOf(Entry entry, Freshness freshness) {
        if (freshness == Freshness.STALE) {
            return AnswerSource.STALE;
        }
        return entry.negative() ? AnswerSource.NEGATIVE : AnswerSource.STORE;
    }

    @SuppressWarnings("CatchingUnchecked") // user callback; its exception was reported when the entry was read
    private boolean isReadable(Entry entry) {
        try {
            return entry.codec().equals(identity)
                    && codec.decode(entry.payload().duplicate()) != null;
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            return false;
        }
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private @Nullable V decode(Entry entry) {
        if (!entry.codec().equals(identity)) {
            return null;
        }
        try {
            return codec.decode(entry.payload().duplicate()); // a codec may change the position of its buffer
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            events.fault(FaultSource.CODEC, e);
            return null;
        }
    }
}
