/** Reports of a cache about single keys: which are hot, and what is known about one. */
@NullMarked
package io.stampedeguard.report;

import org.jspecify.annotations.NullMarked;
