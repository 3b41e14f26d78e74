/** Micronaut's cache annotations on guarded caches. Nothing here knows the catalogue. */
@NullMarked
package io.stampedeguard.examples.micronaut.guarded;

import org.jspecify.annotations.NullMarked;
