/** A Bloom filter that a fleet shares, on Redis. */
@NullMarked
package io.stampedeguard.filter.redis;

import org.jspecify.annotations.NullMarked;
