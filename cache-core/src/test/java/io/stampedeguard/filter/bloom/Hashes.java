package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.KeyHash;

/** Hashes of numbers, as filters use them. */
final class Hashes {
    private static final KeyHash<Long> STANDARD = KeyHash.standard();

    private Hashes() {}

    static long of(long number) {
        return STANDARD.of(number);
    }
}
