/** From keys, names, and annotations of Spring to the texts of the core: keys, names of caches, tags. Not exported. */
@NullMarked
package io.stampedeguard.spring.internal.key;

import org.jspecify.annotations.NullMarked;
