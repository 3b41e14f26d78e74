package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;

/**
 * The design of a generation of a filter. <em>Immutable.</em>
 *
 * @param shape the size
 * @param expectedKeys the number of keys
 * @param rate the false positive rate with that many keys
 */
record FilterDesign(BloomShape shape, long expectedKeys, double rate) {
    static FilterDesign of(long expectedKeys, double rate) {
        return new FilterDesign(BloomShape.of(expectedKeys, rate), expectedKeys, rate);
    }
}
