package io.stampedeguard;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.entry.Entry;
import io.stampedeguard.entry.EntryCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.SharedStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Makes entries of values: encodes them and gives them their jittered expiries. <em>Thread-safe.</em> */
final class EntryWriter<V> {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ValueCodec<V> codec;
    private final SharedStore store;
    private final CachePolicy policy;
    private final DoubleSupplier draws;

    EntryWriter(ValueCodec<V> codec, SharedStore store, CachePolicy policy, DoubleSupplier draws) {
        this.codec = codec;
        this.store = store;
        this.policy = policy;
        this.draws = draws;
    }

    /**
     * An entry ready to be stored.
     *
     * @param entry what it says
     * @param bytes its wire form
     * @param ttl how long the store is to keep it
     */
    record Written(Entry entry, byte[] bytes, Duration ttl) {
        /** Whether it only stands for what is to be there no more. */
        boolean isTombstone() {
            return entry.hardExpiryMillis() <= entry.createdMillis();
        }
    }

    /** Makes an entry that has expired already, to take the place of one that is to go. */
    Written tombstone(LeaseToken token) {
        long now = store.currentTimeMillis();
        Entry entry = new Entry(token, true, now, now, now, 0, NOTHING);
        return new Written(entry, EntryCodec.encode(entry), Duration.ofMillis(1));
    }

    /** Makes the entry of what was loaded; throws what the codec throws. */
    Written write(LeaseToken token, Loaded<V> loaded, long loadNanos) throws Exception {
        V value = loaded.value();
        ByteBuffer payload = value == null ? NOTHING : ByteBuffer.wrap(codec.encode(value));
        return write(token, loaded, loadNanos, value == null, payload);
    }

    /** Makes the entry of what was found to be unmodified: another head before the same payload. */
    Written extend(LeaseToken token, Loaded<V> loaded, long loadNanos, Entry before) {
        return write(token, loaded, loadNanos, before.negative(), before.payload());
    }

    private Written write(LeaseToken token, Loaded<V> loaded, long loadNanos, boolean negative, ByteBuffer payload) {
        double draw = draws.getAsDouble();
        Ttls ttls = Ttls.of(loaded, negative, policy);
        long soft = Jitter.shortenedMillis(ttls.soft(), policy.jitter(), draw);
        long hard = Jitter.shortenedMillis(ttls.hard(), policy.jitter(), draw);
        long now = store.currentTimeMillis();
        // Rounded up: a load of less than a millisecond is no load at all to early refresh.
        long loadMillis = (loadNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        int shown = (int) Math.min(Integer.MAX_VALUE, loadMillis);
        Entry entry = new Entry(token, negative, now, now + soft, now + hard, shown, payload);
        return new Written(entry, EntryCodec.encode(entry), Duration.ofMillis(hard));
    }
}
