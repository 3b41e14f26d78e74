/** Filters of keys that do not exist: what they are, and one for a single process. */
@NullMarked
package io.stampedeguard.filter;

import org.jspecify.annotations.NullMarked;
