/**
 * Many commands in one round trip, to a single server or to each master of a cluster. {@link
 * io.stampedeguard.redis.internal.pipeline.Pipelines} is the entry point. A master that does not answer delays the
 * commands of its own slots only.
 */
@NullMarked
package io.stampedeguard.redis.internal.pipeline;

import org.jspecify.annotations.NullMarked;
