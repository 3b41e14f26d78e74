package io.stampedeguard.filter.bloom;

import java.util.concurrent.atomic.AtomicLong;

/** Notices when a filter has got another tenth of the keys that it was made for, by its bits. <em>Thread-safe</em>, without a lock. */
public final class SaturationWatch {
    private static final int STEPS = 10;

    private final BlockedBloom bits;
    private final long expectedKeys;
    private final AtomicLong nextBits = new AtomicLong();

    /**
     * Watches a filter, from what it has by now.
     *
     * @param bits the bits of the filter
     * @param expectedKeys for how many keys it was made
     */
    public SaturationWatch(BlockedBloom bits, long expectedKeys) {
        this.bits = bits;
        this.expectedKeys = expectedKeys;
        nextBits.set(bitsOfNextStep(bits.bitsSet()));
    }

    /**
     * Returns whether the filter has passed a tenth since that was last asked. Cheap enough to be asked after each key.
     *
     * @return whether it has; true for one of those who ask at once
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
