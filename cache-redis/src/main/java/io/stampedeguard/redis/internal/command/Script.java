package io.stampedeguard.redis.internal.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** A Lua script and its digest, by which Redis identifies it. <em>Immutable.</em> */
public final class Script {
    private static final String FOLDER = "/io/stampedeguard/redis/";

    private final byte[] source;
    private final byte[] digest;

    private Script(byte[] source) {
        this.source = source;
        this.digest = sha1(source);
    }

    /** Loads a script from the library's jar. */
    public static Script load(String name) {
        try (InputStream resource = Script.class.getResourceAsStream(FOLDER + name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException(name + ".lua is missing from the library's jar");
            }
            return new Script(resource.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + name + ".lua", e);
        }
    }

    private static byte[] sha1(byte[] source) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-1").digest(source);
            return "%040x".formatted(new BigInteger(1, sum)).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-1", e);
        }
    }

    /**
     * Returns a call of this script.
     *
     * @param keys the Redis keys, all in one slot
     * @param arguments the other arguments
     */
    public Call call(List<byte[]> keys, byte[]... arguments) {
        return new Call(this, keys, List.of(arguments));
    }

    /**
     * A call of a script. <em>Immutable</em>, except for the bytes.
     *
     * @param script the script
     * @param keys the Redis keys, all in one slot
     * @param arguments the other arguments
     */
    public record Call(Script script, List<byte[]> keys, List<byte[]> arguments) implements KeyedCommand {
        /** Returns a call by digest only: a server that does not know the script answers {@code NOSCRIPT}. */
        @Override
        public CommandArguments toSend() {
            return command(Protocol.Command.EVALSHA, script.digest);
        }

        /** Returns a call by source, from which the server also learns the script. */
        @Override
        public CommandArguments toSendWithScript() {
            return command(Protocol.Command.EVAL, script.source);
        }

        private CommandArguments command(Protocol.Command command, byte[] scriptOrDigest) {
            CommandArguments call =
                    new CommandArguments(command).add(scriptOrDigest).add(keys.size());
            keys.forEach(call::key);
            arguments.forEach(call::add);
            return call;
        }

        /**
         * Calls the script. A server that does not know it (new, restarted, failed over, flushed) receives its source by
         * {@code EVAL}, which loads and runs it in one step: on the node of a cluster that has the keys at that moment, and
         * without a gap in which the script could be forgotten again.
         */
        @Override
        public Object sendAlone(UnifiedJedis client) {
            try {
                return client.evalsha(script.digest, keys, arguments);
            } catch (JedisNoScriptException unknown) {
                return client.eval(script.source, keys, arguments);
            }
        }
    }
}
