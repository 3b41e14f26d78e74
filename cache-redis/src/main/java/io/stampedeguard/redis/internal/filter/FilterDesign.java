package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;

/**
 * What a generation of a filter is made for. <em>Immutable.</em>
 *
 * @param shape how large it is
 * @param expectedKeys for how many keys
 * @param rate which share of the keys that are not there it lets pass with as many
 */
record FilterDesign(BloomShape shape, long expectedKeys, double rate) {
    static FilterDesign of(long expectedKeys, double rate) {
        return new FilterDesign(BloomShape.of(expectedKeys, rate), expectedKeys, rate);
    }
}
