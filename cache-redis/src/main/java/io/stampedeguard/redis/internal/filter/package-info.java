/**
 * The key filter in Redis: its scripts, the copy of this process, and rebuilding. {@link
 * io.stampedeguard.redis.internal.filter.HashFilter} is the entry point.
 */
@NullMarked
package io.stampedeguard.redis.internal.filter;

import org.jspecify.annotations.NullMarked;
