package io.stampedeguard.redis.internal.command;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;

/** A command for one key of the cache, which can be sent with others or by itself. */
interface KeyedCommand {
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
    @Nullable
    Object sendAlone(UnifiedJedis client);

    /** One of several plain commands to a single server, which executes them in their order. Equal only to itself. */
    final class InOrder implements KeyedCommand {
        private final CommandArguments arguments;

        InOrder(CommandArguments arguments) {
            this.arguments = arguments;
        }

        @Override
        public CommandArguments toSend() {
            return arguments;
        }

        @Override
        public boolean isInOrder() {
            return true;
        }

        @Override
        public @Nullable Object sendAlone(UnifiedJedis client) {
            return client.executeCommand(arguments);
        }
    }

    /**
     * A plain read of one Redis key, the command's only argument; {@code alone} sends it by itself. <em>Immutable</em>, except
     * for the bytes.
     */
    record PlainRead(Protocol.Command command, byte[] key, Function<UnifiedJedis, @Nullable Object> alone)
            implements KeyedCommand {
        /** Reads an entry by {@code GET}, which refuses a value that is not a string. */
        static PlainRead value(byte[] key) {
            return new PlainRead(Protocol.Command.GET, key, client -> client.get(key));
        }

        /**
         * Reads an entry by {@code MGET} of one key, for which a value that is not a string is absent. With several keys, it
         * would be refused while their slot is moved, and two keys are rarely in the same slot.
         */
        static PlainRead entry(byte[] key) {
            return new PlainRead(Protocol.Command.MGET, key, client -> client.mget(key));
        }

        /** Returns the entry in the answer to {@link #entry(byte[])}. */
        static byte @Nullable [] entryIn(Object answer) {
            return (byte[]) ((List<?>) answer).get(0);
        }

        /** Reads the remaining TTL in milliseconds: -1 for a key without TTL, -2 for an absent key. */
        static PlainRead ttl(byte[] key) {
            return new PlainRead(Protocol.Command.PTTL, key, client -> client.pttl(key));
        }

        @Override
        public CommandArguments toSend() {
            return new CommandArguments(command).key(key);
        }

        @Override
        public @Nullable Object sendAlone(UnifiedJedis client) {
            return alone.apply(client);
        }
    }
}
