/** Caches of products: plain cache-aside and the guarded cache, with one face, so that the same callers can use either. */
@NullMarked
package io.stampedeguard.demo.product;

import org.jspecify.annotations.NullMarked;
