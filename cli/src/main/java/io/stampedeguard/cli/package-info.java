/** The commands of {@code ./stampede} for operators of caches: they read or change keys in a live Redis. */
@NullMarked
package io.stampedeguard.cli;

import org.jspecify.annotations.NullMarked;
