/** What the cache tells those who watch it, as meters and observations of Micrometer, which is needed only here. */
@NullMarked
package io.stampedeguard.metrics;

import org.jspecify.annotations.NullMarked;
