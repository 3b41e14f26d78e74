/** The shared store as the cache sees it, and one that lives in memory. */
@NullMarked
package io.stampedeguard.store;

import org.jspecify.annotations.NullMarked;
