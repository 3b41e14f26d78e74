package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/** A command for one key of the cache, which can be sent with others or by itself. */
interface KeyedCommand extends CommandSender.Step<@Nullable Object> {
    /** Returns the command for a pipeline. Its keys are marked, so that the server in a cluster can be found. */
    CommandArguments toSend();

    /** Returns the command for a pipeline to a server that does not know the script. */
    default CommandArguments toSendWithScript() {
        return toSend();
    }

    /** Returns how many bytes it brings, apart from what all commands have. */
    default int length() {
        return 0;
    }

    /** Returns whether it is one of several in an order, and so is not sent again by itself when a server has refused it. */
    default boolean isInOrder() {
        return false;
    }

    /** Sends it by itself, to the server where the client finds the key. */
    @Override
    @Nullable
    Object sendAlone(UnifiedJedis client);

    /**
     * A plain command for one Redis key, or without one; {@code alone} sends it by itself. Equal only to itself. <em>Immutable</em>,
     * except for the bytes.
     */
    final class PlainCommand implements KeyedCommand {
        private final CommandArguments arguments;
        private final boolean isInOrder;
        private final Function<UnifiedJedis, @Nullable Object> alone;

        private PlainCommand(
                CommandArguments arguments, boolean isInOrder, Function<UnifiedJedis, @Nullable Object> alone) {
            this.arguments = arguments;
            this.isInOrder = isInOrder;
            this.alone = alone;
        }

        /** Returns one of several commands to a single server, which executes them in their order. */
        static PlainCommand inOrder(CommandArguments arguments) {
            return new PlainCommand(arguments, true, client -> client.executeCommand(arguments));
        }

        /** Sent by itself through a typed method: an older client of a cluster takes only arguments that it has made itself. */
        private static PlainCommand read(
                Protocol.Command command, byte[] key, Function<UnifiedJedis, @Nullable Object> alone) {
            return new PlainCommand(new CommandArguments(command).key(key), false, alone);
        }

        /** Reads an entry by {@code GET}, which refuses a value that is not a string. */
        static PlainCommand value(byte[] key) {
            return read(Protocol.Command.GET, key, client -> client.get(key));
        }

        /**
         * Reads an entry by {@code MGET} of one key, for which a value that is not a string is absent. With several keys, it
         * would be refused while their slot is moved, and two keys are rarely in the same slot.
         */
        static PlainCommand entry(byte[] key) {
            return read(Protocol.Command.MGET, key, client -> client.mget(key));
        }

        /** Returns the entry in the answer to {@link #entry(byte[])}. */
        static byte @Nullable [] entryIn(@Nullable Object answer) {
            return (byte[]) ((List<?>) requireNonNull(answer)).get(0);
        }

        /** Reads the remaining TTL in milliseconds: -1 for a key without TTL, -2 for an absent key. */
        static PlainCommand ttl(byte[] key) {
            return read(Protocol.Command.PTTL, key, client -> client.pttl(key));
        }

        @Override
        public CommandArguments toSend() {
            return arguments;
        }

        @Override
        public boolean isInOrder() {
            return isInOrder;
        }

        @Override
        public @Nullable Object sendAlone(UnifiedJedis client) {
            return alone.apply(client);
        }
    }
}
