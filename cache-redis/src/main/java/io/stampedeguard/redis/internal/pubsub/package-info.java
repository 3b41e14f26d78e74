/**
 * Connections on which a server sends messages, and the notifications that leases have ended. {@link
 * io.stampedeguard.redis.internal.pubsub.RedisNotices} is the entry point; {@link
 * io.stampedeguard.redis.internal.pubsub.SubscriberConnection} is also used for invalidations.
 */
@NullMarked
package io.stampedeguard.redis.internal.pubsub;

import org.jspecify.annotations.NullMarked;
