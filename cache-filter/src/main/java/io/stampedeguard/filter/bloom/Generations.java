package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.SaturationWatch;
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
