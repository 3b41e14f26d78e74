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
import org.jspecify.annotations.Nullable;

/** Makes entries of values: encodes them and gives them their jittered expiries. <em>Thread-safe.</em> */
final class EntryWriter<V> {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

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
     * @param bytes its wire form
     * @param ttl how long the store is to keep it
     */
    record Written(byte[] bytes, Duration ttl) {}

    /** Makes the entry of a value, or of its absence; throws what the codec throws. */
    Written write(LeaseToken token, @Nullable V value, long loadNanos) throws Exception {
        ByteBuffer payload = value == null ? NOTHING : ByteBuffer.wrap(codec.encode(value));
        double draw = draws.getAsDouble();
        Duration softTtl = value == null ? policy.negativeTtl() : policy.softTtl();
        Duration hardTtl = value == null ? policy.negativeTtl() : policy.hardTtl();
        long soft = Jitter.shortenedMillis(softTtl, policy.jitter(), draw);
        long hard = Jitter.shortenedMillis(hardTtl, policy.jitter(), draw);
        long now = store.currentTimeMillis();
        int loadMillis = (int) Math.min(Integer.MAX_VALUE, loadNanos / 1_000_000);
        Entry entry = new Entry(token, value == null, now, now + soft, now + hard, loadMillis, payload);
        return new Written(EntryCodec.encode(entry), Duration.ofMillis(hard));
    }
}
