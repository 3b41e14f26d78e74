/** The shared store as the cache sees it, and an implementation in memory. */
@NullMarked
package io.stampedeguard.store;

import org.jspecify.annotations.NullMarked;
