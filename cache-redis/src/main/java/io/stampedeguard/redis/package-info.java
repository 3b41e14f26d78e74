/** The shared store on Redis: one plain read for a hit, one Lua script for each change. */
@NullMarked
package io.stampedeguard.redis;

import org.jspecify.annotations.NullMarked;
