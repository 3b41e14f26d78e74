package io.stampedeguard.filter;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.SaturationWatch;
import org.jspecify.annotations.Nullable;

/**
 * What a local filter has at one moment: the bits in force, if any, with who watches them, and those that are being built, if
 * any. <em>Immutable</em>, but for the bits.
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

    /** To the next one first: so nobody who finds the key in one generation misses it in the other. */
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
