/**
 * Locks that are held by a majority of independent servers. {@link
 * io.stampedeguard.redis.internal.redlock.QuorumLocks} is the entry point.
 */
@NullMarked
package io.stampedeguard.redis.internal.redlock;

import org.jspecify.annotations.NullMarked;
