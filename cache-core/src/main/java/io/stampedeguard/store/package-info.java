/** A store as users and as caches see it, and an implementation in memory. */
@NullMarked
package io.stampedeguard.store;

import org.jspecify.annotations.NullMarked;
