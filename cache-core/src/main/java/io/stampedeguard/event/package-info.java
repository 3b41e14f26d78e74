/** The events of a cache, and their listeners. */
@NullMarked
package io.stampedeguard.event;

import org.jspecify.annotations.NullMarked;
