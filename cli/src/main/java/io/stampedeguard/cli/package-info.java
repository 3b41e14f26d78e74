/** The commands of {@code ./stampede} for people who operate caches: they look into a live Redis, or change a key there. */
@NullMarked
package io.stampedeguard.cli;

import org.jspecify.annotations.NullMarked;
