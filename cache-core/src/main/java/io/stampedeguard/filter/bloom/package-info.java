/** Blocked Bloom filters: their size, and their bits. For those who write a filter. */
@NullMarked
package io.stampedeguard.filter.bloom;

import org.jspecify.annotations.NullMarked;
