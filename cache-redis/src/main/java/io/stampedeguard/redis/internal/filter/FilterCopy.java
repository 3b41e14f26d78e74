package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of a filter that is kept in Redis: of each partition, which generation was last seen in force
 * there, and a copy of its bits. Partitions are of one generation but for moments, or after a rebuild that broke off
 * half-way. It may be behind, which does no harm: it says "maybe" and nothing else. <em>Thread-safe</em>, without a lock.
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

    /**
     * Creates one that knows nothing.
     *
     * @param own what this process would build
     */
    FilterCopy(FilterDesign own) {
        this.own = own;
    }

    boolean mightContain(long hash) {
        FilterGeneration generation = generations.get(BlockedBloom.partition(hash));
        return generation != null && generation.bloom().mightContain(hash);
    }

    /** Returns the generation of a partition, {@code null} if none was seen yet, or another one in the meantime. */
    @Nullable
    FilterGeneration generation(int partition, byte[] id) {
        FilterGeneration generation = generations.get(partition);
        return generation != null && generation.is(id) ? generation : null;
    }

    /** Finds the copy of a generation of which another partition may be already; else begins one. */
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

    /** Is told of a generation that will soon be in force, so that there is one copy of it and not two; {@code null}: of none. */
    void expect(@Nullable FilterGeneration generation) {
        coming = generation;
    }

    /** What is learnt of a partition from now on goes into this copy. */
    void use(int partition, FilterGeneration generation) {
        if (generations.getAndSet(partition, generation) != generation) {
            clear(whole, partition);
        }
    }

    /** Counts the partitions that were found to be in force after they had not been; to be asked before Redis is. */
    int changes() {
        return changes.get();
    }

    /** Notes that a partition was seen in force, in whatever generation. */
    void inForce(int partition) {
        clear(lost, partition);
        if ((set(inForce, partition) & 1 << partition) == 0) {
            changes.incrementAndGet();
        }
    }

    /**
     * Notes that a partition was lost, or never built, unless the answer that says so may be older than a change to the better.
     *
     * @param asOf how many changes there had been when Redis was asked
     * @return whether the filter was in force until then
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

    /**
     * Notes that a partition's copy has all that stood in Redis when it was made.
     *
     * @return whether that was the last of all that this generation wanted
     */
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

    /** Whether all partitions are whole, be it in two generations. */
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
