package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates entries: encodes values and adds their jittered expiries. <em>Thread-safe.</em> */
public final class EntryWriter<V> {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(5);
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final ValueCodec<V> codec;
    private final SharedStore store;
    private final CachePolicy policy;
    private final TimeSource time;

    public EntryWriter(ValueCodec<V> codec, SharedStore store, CachePolicy policy, TimeSource time) {
        this.codec = codec;
        this.store = store;
        this.policy = policy;
        this.time = time;
    }

    /** Returns whether a result may be stored: absence by the policy, or if a length is set for it. */
    public boolean isWanted(LoadedValue<V> loaded, @Nullable V value) {
        return loaded.isCached()
                && (value != null
                        || loaded.softTtl() != null
                        || !policy.negativeTtl().isZero());
    }

    /**
     * Creates the entry of a loaded value, with the stamp of its load; an unmodified entry's payload is stored again under another
     * head, unless another codec has encoded it. Throws what the codec throws, and if the payload is larger than the policy allows.
     */
    public Entry write(
            LeaseToken token, LoadedValue<V> loaded, long loadNanos, @Nullable Stored<V> unmodified, long stamp)
            throws Exception {
        boolean negative = (unmodified == null ? loaded.value() : unmodified.value()) == null;
        Duration own = loaded.softTtl();
        Duration hard = negative ? negativeTtl(own) : hardTtl(loaded.hardTtl(), own);
        Duration soft = negative ? hard : shorter(own == null ? policy.softTtl() : own, hard);
        double jitter = policy.jitter();
        double draw = time.random();
        return write(
                token,
                loaded,
                loadNanos,
                unmodified,
                stamp,
                shortenedMillis(soft, jitter, draw),
                shortenedMillis(hard, jitter, draw));
    }

    /** Creates an entry that is not stored, but passed to callers that wait for it now; it is valid for the given length. */
    public Entry writeToShow(
            LeaseToken token,
            LoadedValue<V> loaded,
            long loadNanos,
            @Nullable Stored<V> unmodified,
            long stamp,
            Duration length)
            throws Exception {
        return write(token, loaded, loadNanos, unmodified, stamp, length.toMillis(), length.toMillis());
    }

    private Entry write(
            LeaseToken token,
            LoadedValue<V> loaded,
            long loadNanos,
            @Nullable Stored<V> unmodified,
            long stamp,
            long soft,
            long hard)
            throws Exception {
        V value = unmodified == null ? loaded.value() : unmodified.value();
        CodecIdentity identity = codec.identity();
        ByteBuffer payload = NOTHING;
        if (value != null && unmodified != null && unmodified.entry().codec().equals(identity)) {
            payload = unmodified.entry().payload();
        } else if (value != null) {
            payload = encoded(value);
        }
        long now = store.currentTimeMillis();
        // Rounded up: early refresh never reloads entries with a load time of zero.
        long loadMillis = (loadNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        int shown = (int) Math.min(Integer.MAX_VALUE, loadMillis);
        List<String> tags = tagsOf(loaded, unmodified);
        return new Entry(token, value == null, now, now + soft, now + hard, shown, identity, payload, stamp, tags);
    }

    /** Returns the tags of a loaded value; an unmodified entry keeps its own, unless the loader has set others. */
    public static List<String> tagsOf(LoadedValue<?> loaded, @Nullable Stored<?> unmodified) {
        return unmodified == null || !loaded.tags().isEmpty()
                ? loaded.tags()
                : unmodified.entry().knownTags();
    }

    private ByteBuffer encoded(V value) throws Exception {
        byte[] payload = codec.encode(value);
        if (payload == null) { // user callback
            throw new IllegalStateException(codec.getClass().getName() + ".encode returned null for a value of "
                    + value.getClass().getTypeName());
        }
        if (payload.length > policy.maxPayloadBytes()) {
            throw new TooLarge("the value has " + payload.length + " bytes, more than the maxPayloadBytes "
                    + policy.maxPayloadBytes());
        }
        return ByteBuffer.wrap(payload.clone()); // a codec may use its array again, for the next value
    }

    /** Thrown if an encoded value has more bytes than the policy allows. */
    private static final class TooLarge extends IllegalArgumentException {
        TooLarge(String message) {
            super(message);
        }
    }

    /** Returns the source of the fault that a {@code write} has thrown. */
    public static FaultSource sourceOf(Throwable thrown) {
        return thrown instanceof TooLarge ? FaultSource.SIZE : FaultSource.CODEC;
    }

    /** Shortens a TTL by a random share, at most {@code jitter}, so that entries do not expire together; leaves 1 ms or more. */
    static long shortenedMillis(Duration ttl, double jitter, double draw) {
        long millis = ttl.toMillis();
        return Math.max(1, millis - (long) (millis * jitter * draw));
    }

    private Duration negativeTtl(@Nullable Duration own) {
        return own == null ? policy.negativeTtl() : shorter(own, LONGEST_NEGATIVE);
    }

    /** Returns the hard TTL before jitter: that of the policy, unless the loader sets its own, or a soft one. */
    private Duration hardTtl(@Nullable Duration own, @Nullable Duration ownSoft) {
        if (own != null) {
            return shorter(own, LONGEST);
        }
        if (ownSoft == null) {
            return policy.hardTtl();
        }
        double times =
                (double) policy.hardTtl().toMillis() / (double) policy.softTtl().toMillis();
        double millis = (double) shorter(ownSoft, LONGEST).toMillis();
        return shorter(Duration.ofMillis((long) (millis * times)), LONGEST);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
