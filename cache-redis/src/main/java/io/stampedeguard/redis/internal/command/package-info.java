/**
 * The commands of a store: which Redis keys and scripts they use, how they are sent, and what the answers mean. {@link
 * io.stampedeguard.redis.internal.command.Commands} sends commands for one key or many, {@link
 * io.stampedeguard.redis.internal.command.LeaseScripts} creates those of the lease protocol. What failed is sent again by {@link
 * io.stampedeguard.redis.internal.command.CommandSender} only where that is safe.
 */
@NullMarked
package io.stampedeguard.redis.internal.command;

import org.jspecify.annotations.NullMarked;
