/** What caches do in a transaction: which changes wait for its commit, which reads go around the cache. Not exported. */
@NullMarked
package io.stampedeguard.spring.internal.transaction;

import org.jspecify.annotations.NullMarked;
