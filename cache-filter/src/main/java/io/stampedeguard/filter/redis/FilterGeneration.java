package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.internal.SaturationWatch;
import java.util.Arrays;

/**
 * One generation of a filter, with the bits that this process has seen: a subset of those in Redis. So it can only answer that
 * a key may exist. <em>Thread-safe.</em>
 */
final class FilterGeneration {
    private final byte[] id;
    private final FilterDesign design;
    private final BlockedBloom bloom;
    private final SaturationWatch saturation;

    FilterGeneration(String id, FilterDesign design) {
        this.id = id.getBytes(US_ASCII);
        this.design = design;
        this.bloom = new BlockedBloom(design.shape());
        this.saturation = new SaturationWatch(bloom, design.expectedKeys());
    }

    byte[] id() {
        return id;
    }

    boolean is(byte[] other) {
        return Arrays.equals(id, other);
    }

    FilterDesign design() {
        return design;
    }

    BlockedBloom bloom() {
        return bloom;
    }

    /** Merges the block of a key from Redis. */
    void merge(long hash, byte[] block) {
        bloom.merge(BlockedBloom.block(hash, design.shape().blocks()), block);
    }

    /** Notes its fill; returns whether that has grown by another tenth of its capacity since the last call. */
    boolean noteGrowth() {
        return saturation.grown();
    }

    /** The design of a generation: its size, and its false positive rate with the expected number of keys. <em>Immutable.</em> */
    record FilterDesign(BloomShape shape, long expectedKeys, double rate) {
        static FilterDesign of(long expectedKeys, double rate) {
            return new FilterDesign(BloomShape.of(expectedKeys, rate), expectedKeys, rate);
        }
    }
}
