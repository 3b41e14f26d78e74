package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The copy of a filter in this process: for each partition, the generation that was last seen active in Redis, and a copy of
 * its bits. All partitions have the same generation, except for moments, or after an interrupted rebuild. The copy may be
 * outdated, which is harmless: it only ever answers that a key may exist. <em>Thread-safe</em>, without a lock.
 */
final class FilterCopy {
    private static final int ALL = -1; // as many bits as there are partitions

    private final AtomicReferenceArray<@Nullable FilterGeneration> generations =
            new AtomicReferenceArray<>(BloomShape.PARTITIONS);
    private final AtomicInteger inForce = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();
    private final FilterDesign own;
    private volatile @Nullable FilterGeneration coming;
    private volatile @Nullable FilterGeneration complete;

    /** Creates an empty copy, with the design that this process would build. */
    FilterCopy(FilterDesign own) {
        this.own = own;
    }

    boolean mightContain(long hash) {
        FilterGeneration generation = generations.get(BlockedBloom.partition(hash));
        return generation != null && generation.bloom().mightContain(hash);
    }

    /** Returns the generation of a partition, {@code null} if none or another one was seen. */
    @Nullable
    FilterGeneration generation(int partition, byte[] id) {
        FilterGeneration generation = generations.get(partition);
        return generation != null && generation.is(id) ? generation : null;
    }

    /** Returns the copy of a generation that another partition may already use, or a new one. */
    FilterGeneration copyOf(byte[] id, FilterDesign design) {
        FilterGeneration expected = coming;
        if (expected != null && expected.is(id)) {
            return expected;
        }
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            FilterGeneration known = generation(i, id);
            if (known != null) {
                return known;
            }
        }
        return new FilterGeneration(new String(id, US_ASCII), design);
    }

    /** Sets the generation that is about to become active, so that there is one copy of it, not two; {@code null} for none. */
    void expect(@Nullable FilterGeneration generation) {
        coming = generation;
    }

    /** Merges further answers about a partition into this generation. */
    void use(int partition, FilterGeneration generation) {
        if (generations.getAndSet(partition, generation) != generation) {
            clear(whole, partition);
        }
    }

    /** Returns how often a partition became active; to be called before Redis is queried. */
    int changes() {
        return changes.get();
    }

    /** Notes that a partition was seen active, in any generation. */
    void inForce(int partition) {
        clear(lost, partition);
        if ((set(inForce, partition) & 1 << partition) == 0) {
            changes.incrementAndGet();
        }
    }

    /**
     * Notes that a partition was lost, or never built, unless one became active after {@code asOf}, the value of {@link
     * #changes()} before Redis was queried. Returns whether the filter was active until then.
     */
    boolean lost(int partition, int asOf) {
        if (changes.get() != asOf) {
            return false;
        }
        set(lost, partition);
        clear(whole, partition);
        complete = null;
        return clear(inForce, partition) == ALL;
    }

    boolean isLost(int partition) {
        return (lost.get() & 1 << partition) != 0;
    }

    /** Notes that a partition's copy has all bits of Redis, and returns whether the generation is complete in all partitions. */
    boolean whole(int partition, FilterGeneration generation) {
        set(whole, partition);
        if (complete == generation || !isWhole()) {
            return false;
        }
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            if (generations.get(i) != generation) {
                return false;
            }
        }
        complete = generation;
        return true;
    }

    boolean isWhole(int partition) {
        return (whole.get() & 1 << partition) != 0;
    }

    /** Returns whether all partitions are complete, possibly in two generations. */
    boolean isWhole() {
        return whole.get() == ALL;
    }

    private static int set(AtomicInteger partitions, int partition) {
        return partitions.getAndUpdate(bits -> bits | 1 << partition);
    }

    private static int clear(AtomicInteger partitions, int partition) {
        return partitions.getAndUpdate(bits -> bits & ~(1 << partition));
    }

    /** Returns the state of the last generation that all partitions had. */
    FilterState state(boolean rebuilding) {
        FilterGeneration generation = complete;
        boolean isInForce = inForce.get() == ALL;
        if (generation == null) {
            return new FilterState(isInForce, rebuilding, own.expectedKeys(), own.rate(), 0, 0, 1);
        }
        BloomShape shape = generation.design().shape();
        long bitsSet = generation.bloom().bitsSet();
        long keys = shape.keysFor(bitsSet);
        return new FilterState(
                isInForce,
                rebuilding,
                generation.design().expectedKeys(),
                generation.design().rate(),
                bitsSet / (shape.bytes() * 8.0),
                keys,
                shape.rateWith(keys));
    }
}
