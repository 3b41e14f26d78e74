/** A Bloom filter of one process, and the hashes of keys. */
@NullMarked
package io.stampedeguard.filter.bloom;

import org.jspecify.annotations.NullMarked;
