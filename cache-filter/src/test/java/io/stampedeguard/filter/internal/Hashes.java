package io.stampedeguard.filter.internal;

import io.stampedeguard.filter.bloom.KeyHash;

/** Hashes of numbers, as filters use them. */
final class Hashes {
    private static final KeyHash<Long> STANDARD = KeyHash.standard();

    private Hashes() {}

    static long of(long number) {
        return STANDARD.of(number);
    }
}
