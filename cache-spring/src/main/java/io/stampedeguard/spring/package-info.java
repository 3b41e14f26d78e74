/** Spring's cache abstraction on guarded caches: the cache manager, its caches, and their options. */
@NullMarked
package io.stampedeguard.spring;

import org.jspecify.annotations.NullMarked;
