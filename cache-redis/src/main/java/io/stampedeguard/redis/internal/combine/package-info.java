/**
 * Requests of concurrent callers, sent together. {@link io.stampedeguard.redis.internal.combine.Combiner} is the entry
 * point; it knows nothing of how a batch is sent.
 */
@NullMarked
package io.stampedeguard.redis.internal.combine;

import org.jspecify.annotations.NullMarked;
