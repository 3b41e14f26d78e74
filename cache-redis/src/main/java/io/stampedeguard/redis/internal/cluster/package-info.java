/**
 * The masters of a Redis Cluster: which slots each of them has, and which of them do not answer. {@link
 * io.stampedeguard.redis.internal.cluster.Cluster} is the entry point.
 */
@NullMarked
package io.stampedeguard.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
