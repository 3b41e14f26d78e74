package io.stampedeguard.filter;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.SaturationWatch;
import org.jspecify.annotations.Nullable;

/**
 * The content of a local filter at one moment: the bits in force, if any, with their saturation watch, and the bits of a
 * running rebuild, if any. <em>Immutable</em>, except for the bits.
 */
record Generations(
        @Nullable BlockedBloom inForce,
        @Nullable SaturationWatch watch,
        @Nullable BlockedBloom next) {
    static Generations none() {
        return new Generations(null, null, null);
    }

    static Generations inForce(BlockedBloom bits, long expectedKeys) {
        return new Generations(bits, new SaturationWatch(bits, expectedKeys), null);
    }

    Generations building(BlockedBloom bits) {
        return new Generations(inForce, watch, bits);
    }

    /** Adds to the next generation first, so that a key found in one generation is never missing in the other. */
    void add(long hash) {
        if (next != null) {
            next.add(hash);
        }
        if (inForce != null) {
            inForce.add(hash);
        }
    }

    boolean grown() {
        return watch != null && watch.grown();
    }
}
