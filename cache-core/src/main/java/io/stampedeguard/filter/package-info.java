/** Filters against requests for nonexistent keys: the interface, and an implementation for a single process. */
@NullMarked
package io.stampedeguard.filter;

import org.jspecify.annotations.NullMarked;
