/** Caches of products: plain cache-aside and the guarded cache, behind one interface, so that the same callers can use either. */
@NullMarked
package io.stampedeguard.demo.product;

import org.jspecify.annotations.NullMarked;
