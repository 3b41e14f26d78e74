/** The events of a cache as meters and observations of Micrometer. */
@NullMarked
package io.stampedeguard.metrics;

import org.jspecify.annotations.NullMarked;
