/** Filters against requests for nonexistent keys: the interface, and what filters report. */
@NullMarked
package io.stampedeguard.filter;

import org.jspecify.annotations.NullMarked;
