/** The shared store on Redis: one plain {@code GET} for a hit, one Lua script for each change. */
@NullMarked
package io.stampedeguard.redis;

import org.jspecify.annotations.NullMarked;
