/** Reports of a cache: what is known about one key, and the result of a prefetch. */
@NullMarked
package io.stampedeguard.report;

import org.jspecify.annotations.NullMarked;
