/** Blocked Bloom filters: their sizes and their bits. For implementations of filters. */
@NullMarked
package io.stampedeguard.filter.bloom;

import org.jspecify.annotations.NullMarked;
