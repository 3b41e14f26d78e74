package io.stampedeguard.internal.storage;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.Entry.Freshness;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.near.Copy.Ticket;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.Failures;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.storage.KeyAdmission.NamedKey;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the store, unless a key cannot exist; decodes what it contains, and passes fresh entries to the near cache. Gives each
 * caller its own copy of mutable values ({@link MutableValueCodec}). <em>Thread-safe.</em>
 */
public final class StoreReads<K, V> {
    private static final int MANY_MISSES = 8;
    private static final int MOST_MISSES = 16;
    private static final int MISSES_PER_HIT = 4;

    private final KeyAdmission<K> admission;
    private final ObservedStore store;
    private final Marks marks;
    private final NearCache<K, V> near;
    private final Decoders<V> decoders;
    private final ValueCodec<V> codec;
    private final CodecIdentity identity;
    private final ReadBack<V> readBack;
    private final @Nullable MutableValueCodec<V> copying;
    private final CachePolicy policy;
    private final CacheEvents events;

    /**
     * An estimate of how often recent reads missed: each miss raises it by one, up to a limit, and each hit lowers it by four. Not
     * exact, as an update may be lost; a hit of a cache that rarely misses writes nothing.
     */
    private int misses;

    public StoreReads(
            CacheContext context,
            KeyAdmission<K> admission,
            ObservedStore store,
            Marks marks,
            NearCache<K, V> near,
            Decoders<V> decoders,
            ReadBack<V> readBack) {
        this.admission = admission;
        this.store = store;
        this.marks = marks;
        this.near = near;
        this.decoders = decoders;
        this.codec = decoders.codec();
        this.identity = decoders.identity();
        this.readBack = readBack;
        this.copying = codec instanceof MutableValueCodec<V> mutable ? mutable : null;
        this.policy = context.policy();
        this.events = context.events();
    }

    /**
     * What the read of a key has found: an answer, which may be stale; no entry of use to anybody, with or without a copy whose entry
     * the store has not taken, or may have lost; an entry for others, which must stay; no answer; or nothing before its lease is requested.
     */
    enum ReadOutcome {
        ANSWER,
        NOTHING,
        COPY,
        ENTRY_FOR_OTHERS,
        NO_ANSWER,
        UNREAD
    }

    /**
     * The read of a key: what it has found, with the entry that may be served, if there is one, and the token of the entry that was
     * seen, usable or not. The near cache's ticket is from before the read.
     */
    public record Lookup<K, V>(
            K key,
            String storeKey,
            Ticket ticket,
            @Nullable Stored<V> stored,
            @Nullable LeaseToken seen,
            ReadOutcome outcome) {
        private static <K, V> Lookup<K, V> impossible(K key, String storeKey, AnswerSource refusal) {
            Stored<V> nothing = new Stored<>(null, Stored.NOTHING, refusal, false, 0);
            return new Lookup<>(key, storeKey, Ticket.NONE, nothing, null, ReadOutcome.ANSWER);
        }

        /** Returns the lookup of a key for which the store could not be asked. */
        public static <K, V> Lookup<K, V> unanswered(K key, String storeKey, Ticket ticket) {
            return new Lookup<>(key, storeKey, ticket, null, null, ReadOutcome.NO_ANSWER);
        }

        /** Returns this lookup with the ticket of a load whose value the store will not take. */
        public Lookup<K, V> with(Ticket other) {
            return new Lookup<>(key, storeKey, other, stored, seen, outcome);
        }

        /** Returns this lookup without its entry, which has been removed since, or may have been. */
        public Lookup<K, V> withoutEntry() {
            return new Lookup<>(key, storeKey, ticket, null, seen, ReadOutcome.NOTHING);
        }

        public NamedKey<K> named() {
            return new NamedKey<>(key, storeKey);
        }

        public boolean storeAnswers() {
            return outcome != ReadOutcome.NO_ANSWER;
        }

        public boolean isRead() {
            return outcome != ReadOutcome.UNREAD;
        }

        public boolean keepsEntry() {
            return outcome == ReadOutcome.ENTRY_FOR_OTHERS;
        }

        public boolean hasCopy() {
            return outcome == ReadOutcome.COPY;
        }

        /** Returns whether a copy here comes before the loader: the store has no entry for this process, or does not answer. */
        public boolean needsFallback() {
            return outcome == ReadOutcome.NO_ANSWER
                    || outcome == ReadOutcome.ENTRY_FOR_OTHERS
                    || outcome == ReadOutcome.COPY;
        }

        public boolean isFresh() {
            return stored != null && !stored.isStale();
        }
    }

    /** A usable answer, with source and age by the store's clock at the read; a {@code null} value is "the origin has none". */
    public record Stored<V>(@Nullable V value, Entry entry, AnswerSource source, boolean isDue, long ageMillis) {
        private static final Entry NOTHING = new Entry(
                new LeaseToken(0, 0, 0), true, 0, 0, 0, 0, CodecIdentity.NONE, ByteBuffer.allocate(0), 0, List.of());

        public boolean isStale() {
            return source == AnswerSource.STALE;
        }

        /** Returns whether more than half of the time between its soft and its hard TTL is over. */
        public boolean isPastHalfOfItsStaleness() {
            long afterSoft = entry.createdMillis() + ageMillis - entry.softExpiryMillis();
            return 2 * afterSoft >= entry.hardExpiryMillis() - entry.softExpiryMillis();
        }

        public PreviousValue<V> asPrevious() {
            return new PreviousValue<>(value, Instant.ofEpochMilli(entry.createdMillis()));
        }
    }

    /**
     * Reads a key from the store, by one plain read, if the key may exist, and the store does not refuse the read. Throws an exception
     * of {@link Failures} if no connection became free within {@code patience}, or if this thread was interrupted in the meantime.
     */
    public Lookup<K, V> lookUp(K key, String storeKey, Duration patience) {
        AnswerSource refusal = admission.refusal(key);
        if (refusal != null) {
            return Lookup.impossible(key, storeKey, refusal);
        }
        Ticket ticket = near.open(storeKey);
        byte[] bytes;
        try {
            StoreException unsent = store.refusal(storeKey);
            if (unsent != null) {
                return unanswered(key, storeKey, ticket, unsent);
            }
            bytes = store.read(storeKey, patience);
        } catch (StoreException e) {
            return unanswered(key, storeKey, ticket, e);
        }
        return answered(key, storeKey, ticket, bytes, decode(storeKey, bytes));
    }

    /** Returns whether the recent reads mostly missed: less than about a fifth of them hit, and not the last few. */
    public boolean mostlyMiss() {
        return misses >= MANY_MISSES;
    }

    /** Returns the lookup of a key that is not read, unless it cannot exist: the request for its lease will read it. */
    public Lookup<K, V> unread(K key, String storeKey) {
        return unread(key, storeKey, admission.refusal(key));
    }

    private Lookup<K, V> unread(K key, String storeKey, @Nullable AnswerSource refusal) {
        return refusal == null
                ? new Lookup<>(key, storeKey, near.open(storeKey), null, null, ReadOutcome.UNREAD)
                : Lookup.impossible(key, storeKey, refusal);
    }

    /** Returns the lookup of a key that was not read before, and for which the request for its lease has found an entry, or none. */
    public Lookup<K, V> found(Lookup<K, V> unread, byte @Nullable [] bytes) {
        return answered(unread.key(), unread.storeKey(), unread.ticket(), bytes, decode(unread.storeKey(), bytes));
    }

    private Lookup<K, V> answered(
            K key, String storeKey, Ticket ticket, byte @Nullable [] bytes, @Nullable Stored<V> stored) {
        int known = misses;
        if (bytes == null && known < MOST_MISSES) {
            misses = known + 1;
        } else if (bytes != null && known > 0) {
            misses = Math.max(0, known - MISSES_PER_HIT);
        }
        near.answered(ticket);
        if (stored == null) {
            LeaseToken seen = bytes == null ? null : LeaseToken.startOf(bytes);
            if (bytes != null && isForOthers(bytes)) {
                Ticket aside = near.openAside(storeKey, false);
                return new Lookup<>(key, storeKey, aside, null, seen, ReadOutcome.ENTRY_FOR_OTHERS);
            }
            ReadOutcome outcome = near.noteAbsent(key, ticket) ? ReadOutcome.COPY : ReadOutcome.NOTHING;
            return new Lookup<>(key, storeKey, ticket, null, seen, outcome);
        }
        near.keep(key, ticket, stored.value(), stored.entry());
        return new Lookup<>(key, storeKey, ticket, stored, stored.entry().token(), ReadOutcome.ANSWER);
    }

    /**
     * Reads many keys, each as {@link #lookUp} does, by one read of all that may exist. If no connection became free for a key,
     * the store counts as not having answered for it: the request for its lease then waits for a connection.
     */
    public List<Lookup<K, V>> lookUpAll(List<NamedKey<K>> keys, Duration patience) {
        Map<K, AnswerSource> refusals = admission.refusals(keys);
        List<Lookup<K, V>> lookups = new ArrayList<>(keys.size());
        for (NamedKey<K> each : keys) {
            lookups.add(unread(each.key(), each.storeKey(), refusals.get(each.key())));
        }
        List<String> asked = lookups.stream()
                .filter(each -> !each.isRead())
                .map(Lookup::storeKey)
                .toList();
        Map<String, byte @Nullable []> entries = asked.isEmpty() ? Map.of() : readAll(asked, patience);
        boolean isAnyThere = entries.values().stream().anyMatch(Objects::nonNull);
        long nowMillis = isAnyThere ? store.currentTimeMillis() : 0; // which may cost a round trip
        for (int i = 0; i < lookups.size(); i++) {
            Lookup<K, V> unread = lookups.get(i);
            if (unread.isRead()) {
                continue;
            }
            String storeKey = unread.storeKey();
            if (entries.containsKey(storeKey)) {
                byte[] bytes = entries.get(storeKey);
                Stored<V> stored = decode(storeKey, bytes, nowMillis);
                lookups.set(i, answered(unread.key(), storeKey, unread.ticket(), bytes, stored));
            } else {
                events.report(EventType.STORE_UNAVAILABLE);
                near.unanswered(unread.ticket());
                lookups.set(i, Lookup.unanswered(unread.key(), storeKey, near.openAside(storeKey, false)));
            }
        }
        return lookups;
    }

    private Map<String, byte @Nullable []> readAll(List<String> storeKeys, Duration patience) {
        try {
            Map<String, byte @Nullable []> entries = store.read(storeKeys, patience);
            int asked = entries.size() < storeKeys.size()
                    ? new HashSet<>(storeKeys).size()
                    : 0; // two keys may have the same text
            if (entries.size() < asked) {
                events.unanswered(asked - entries.size(), asked);
            }
            return entries;
        } catch (StoreException e) {
            events.fault(FaultSource.STORE, e);
            return Map.of();
        }
    }

    /** Reports that the store did not answer; the call continues without it, unless the caller was interrupted. */
    private Lookup<K, V> unanswered(K key, String storeKey, Ticket ticket, StoreException e) {
        events.report(EventType.STORE_UNAVAILABLE);
        events.fault(FaultSource.STORE, e);
        if (e.isShortage()) {
            throw Failures.noConnection(storeKey, e);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Failures.interrupted(storeKey, e);
        }
        near.unanswered(ticket);
        return Lookup.unanswered(key, storeKey, near.openAside(storeKey, e.isUnsent() && e.isRefusal()));
    }

    /** Decodes what the store contains: a usable value, or {@code null} for a miss. Reports the outcome to the listener. */
    public @Nullable Stored<V> decode(String storeKey, byte @Nullable [] bytes) {
        return decode(storeKey, bytes, bytes == null ? 0 : store.currentTimeMillis());
    }

    /** Decodes the entry of a queued {@code put}; {@code null} if it has expired, or was removed with all others. Not reported. */
    public @Nullable Stored<V> decodeQueued(String storeKey, byte[] bytes) {
        Entry put = Entry.decode(bytes, identity);
        Entry entry = put == null ? null : put.under(marks);
        if (entry == null) {
            return null;
        }
        long now = store.currentTimeMillis();
        Freshness freshness = entry.freshnessAt(now);
        boolean isNegative = entry.negative();
        V value = isNegative || freshness == Freshness.EXPIRED ? null : valueIn(storeKey, entry);
        return value == null && !(isNegative && freshness == Freshness.FRESH)
                ? null
                : new Stored<>(value, entry, sourceOf(isNegative, freshness), false, now - entry.createdMillis());
    }

    /** Returns the value at a time by the store's clock. Otherwise identical to {@link #decode(String, byte[])}. */
    private @Nullable Stored<V> decode(String storeKey, byte @Nullable [] bytes, long nowMillis) {
        if (bytes == null) {
            events.report(EventType.STORE_ABSENT);
            return null;
        }
        Entry stored = Entry.decode(bytes, identity);
        if (stored == null) {
            events.report(Entry.isOfNewerFormat(bytes) ? EventType.STORE_INCOMPATIBLE : EventType.STORE_DAMAGED);
            return null;
        }
        Entry entry = stored.under(marks);
        Freshness freshness = entry == null ? Freshness.EXPIRED : entry.freshnessAt(nowMillis);
        if (entry == null
                || freshness == Freshness.EXPIRED
                || (freshness == Freshness.STALE && (entry.negative() || !policy.servesStale()))) {
            events.report(EventType.STORE_ABSENT);
            return null;
        }
        boolean isNegative = entry.negative();
        V value = isNegative ? null : valueIn(storeKey, entry);
        if (isNegative ? decoders.of(entry) == null : value == null) {
            events.report(EventType.STORE_INCOMPATIBLE);
            return null;
        }
        AnswerSource source = sourceOf(isNegative, freshness);
        events.report(
                source == AnswerSource.STALE
                        ? EventType.STORE_STALE
                        : isNegative ? EventType.STORE_NEGATIVE : EventType.STORE_FRESH);
        return new Stored<>(value, entry, source, entry.isDueAt(nowMillis, policy), nowMillis - entry.createdMillis());
    }

    /**
     * Returns whether bytes that {@link #decode(String, byte[])} could not use are of use to other processes and must stay: an entry of a
     * newer format, or an undamaged one, neither expired nor removed with all others, that this codec cannot decode; but not one of its
     * earlier versions, nor of an older version of the values, unless the codec takes its own bytes for one.
     */
    @SuppressWarnings("CatchingUnchecked") // user callback; its exception was reported when the entry was read
    public boolean isForOthers(byte[] bytes) {
        Entry entry = Entry.decode(bytes, identity);
        if (entry == null) {
            return Entry.isOfNewerFormat(bytes);
        }
        if (entry.under(marks) == null
                || entry.freshnessAt(store.currentTimeMillis()) == Freshness.EXPIRED
                || decoders.areLaterThan(entry)) {
            return false;
        }
        ValueCodec<V> decoder = decoders.of(entry);
        if (entry.negative() || decoder == null) {
            return decoder == null;
        }
        try {
            return decoder.decode(entry.payload().duplicate()) == null;
        } catch (OtherVersionException e) {
            return !e.isOlder() || !readBack.readsItsOwn();
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            return true;
        }
    }

    private static AnswerSource sourceOf(boolean isNegative, Freshness freshness) {
        if (freshness == Freshness.STALE) {
            return AnswerSource.STALE;
        }
        return isNegative ? AnswerSource.NEGATIVE : AnswerSource.STORE;
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private @Nullable V valueIn(String storeKey, Entry entry) {
        // Those of others are a branch off the road of a hit.
        ValueCodec<V> decoder = entry.codec().equals(identity) ? codec : decoders.of(entry);
        if (decoder == null) {
            return null;
        }
        try {
            return decoder.decode(entry.payload().duplicate()); // a codec may change the position of its buffer
        } catch (OtherVersionException e) {
            readBack.noteOtherVersion();
            return null;
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(
                    FaultSource.CODEC,
                    e,
                    "the entry of " + KeyEncoder.shown(storeKey) + " cannot be decoded, and counts as missing");
            return null;
        }
    }

    /** Returns a value for one caller; if it cannot be copied, the value itself, which other callers have as well. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public @Nullable V copy(@Nullable V value) {
        if (copying == null || value == null) {
            return value;
        }
        try {
            return requireNonNull(copying.copy(value), "the codec copied a value to null");
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            events.fault(FaultSource.CODEC, e, "a value cannot be copied: the caller gets the one that others have");
            return value;
        }
    }
}
