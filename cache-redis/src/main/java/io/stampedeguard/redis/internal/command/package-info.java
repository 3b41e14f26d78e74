/**
 * The commands of a store: its Redis keys and scripts, the sending of commands, and the meaning of their answers. {@link
 * io.stampedeguard.redis.internal.command.Commands} sends commands for one key or many; {@link
 * io.stampedeguard.redis.internal.command.Script.LeaseScripts} creates those of the lease protocol. {@link
 * io.stampedeguard.redis.internal.command.CommandSender} resends a failed command only if that is safe.
 */
@NullMarked
package io.stampedeguard.redis.internal.command;

import org.jspecify.annotations.NullMarked;
