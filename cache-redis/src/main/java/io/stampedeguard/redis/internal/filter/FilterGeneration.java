package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.SaturationWatch;
import java.util.Arrays;

/**
 * One generation of a filter, with what this process knows of its bits: some of those that stand in Redis, never others.
 * So it tells "maybe" and nothing else. <em>Thread-safe.</em>
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

    /** Takes over the block of a key as it stands in Redis. */
    void merge(long hash, byte[] block) {
        bloom.merge(BlockedBloom.block(hash, design.shape().blocks()), block);
    }

    /** Returns whether its fill has grown by another tenth of its capacity since the last call. */
    boolean hasGrown() {
        return saturation.grown();
    }
}
