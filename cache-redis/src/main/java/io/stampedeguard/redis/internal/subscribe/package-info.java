/**
 * What servers send on connections of its own: that leases have ended, for waiting callers ({@link
 * io.stampedeguard.redis.internal.subscribe.RedisNotices}), and which entries were changed, for near caches ({@link
 * io.stampedeguard.redis.internal.subscribe.InvalidationFeed}). Both extend {@link
 * io.stampedeguard.redis.internal.subscribe.Subscribers}.
 */
@NullMarked
package io.stampedeguard.redis.internal.subscribe;

import org.jspecify.annotations.NullMarked;
