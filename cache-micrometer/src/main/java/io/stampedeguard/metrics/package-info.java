/** The events of a cache as meters and observations of Micrometer, which only this package requires. */
@NullMarked
package io.stampedeguard.metrics;

import org.jspecify.annotations.NullMarked;
