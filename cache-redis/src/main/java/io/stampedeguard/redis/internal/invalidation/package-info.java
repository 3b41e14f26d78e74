/**
 * The notifications of changed entries, for near caches. {@link io.stampedeguard.redis.internal.invalidation.InvalidationFeed} is
 * the entry point: it also proves up to which moment no change is missing.
 */
@NullMarked
package io.stampedeguard.redis.internal.invalidation;

import org.jspecify.annotations.NullMarked;
