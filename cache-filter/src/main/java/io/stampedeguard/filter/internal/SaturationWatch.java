package io.stampedeguard.filter.internal;

import java.util.concurrent.atomic.AtomicLong;

/** Detects, by a filter's bits, each further tenth of the keys that it was sized for. <em>Thread-safe</em>, without a lock. */
public final class SaturationWatch {
    private static final int STEPS = 10;

    private final BlockedBloom bits;
    private final long expectedKeys;
    private final AtomicLong nextBits = new AtomicLong();

    /**
     * Creates a watch, beginning with the filter's current bits.
     *
     * @param bits the bits of the filter
     * @param expectedKeys the number of keys that it was sized for
     */
    public SaturationWatch(BlockedBloom bits, long expectedKeys) {
        this.bits = bits;
        this.expectedKeys = expectedKeys;
        nextBits.set(bitsOfNextStep(bits.bitsSet()));
    }

    /**
     * {@return whether the filter has grown by another tenth since the last call; of concurrent calls, only one returns true}
     * Cheap enough to be called after each key.
     */
    public boolean grown() {
        long next = nextBits.get();
        long now = bits.bitsSet();
        return now >= next && nextBits.compareAndSet(next, bitsOfNextStep(now));
    }

    private long bitsOfNextStep(long bitsSet) {
        BloomShape shape = bits.shape();
        long step = (long) (shape.keysFor(bitsSet) * (double) STEPS / expectedKeys) + 1;
        long keys = (long) (step * (double) expectedKeys / STEPS) + 1;
        return Math.max(bitsSet + 1, shape.bitsFor(keys));
    }
}
