/** Blocked Bloom filters: their sizes and their bits. */
@NullMarked
package io.stampedeguard.filter.internal;

import org.jspecify.annotations.NullMarked;
