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

/** A Lua script and its digest, by which Redis knows it. <em>Immutable.</em> */
public final class Script {
    private static final String FOLDER = "/io/stampedeguard/redis/";

    private final byte[] source;
    private final byte[] digest;

    private Script(byte[] source) {
        this.source = source;
        this.digest = sha1(source);
    }

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

    /**
     * Runs the script. A server that does not know it (new, restarted, failed over, flushed) is given its source by
     * {@code EVAL}, which loads and runs in one step: on whatever node of a cluster the keys are at that moment, and
     * without a gap in which it could be forgotten again.
     */
    Object run(UnifiedJedis client, List<byte[]> keys, List<byte[]> arguments) {
        try {
            return client.evalsha(digest, keys, arguments);
        } catch (JedisNoScriptException unknown) {
            return client.eval(source, keys, arguments);
        }
    }

    /** Returns a call by its digest alone: the reader of the answer must handle a server that does not know it. */
    CommandArguments byDigest(List<byte[]> keys, List<byte[]> arguments) {
        return call(Protocol.Command.EVALSHA, digest, keys, arguments);
    }

    /** Returns a call by its source, from which a server also learns it. */
    CommandArguments bySource(List<byte[]> keys, List<byte[]> arguments) {
        return call(Protocol.Command.EVAL, source, keys, arguments);
    }

    private static CommandArguments call(
            Protocol.Command command, byte[] script, List<byte[]> keys, List<byte[]> arguments) {
        CommandArguments call = new CommandArguments(command).add(script).add(keys.size());
        keys.forEach(call::key);
        arguments.forEach(call::add);
        return call;
    }

    private static byte[] sha1(byte[] source) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-1").digest(source);
            return "%040x".formatted(new BigInteger(1, sum)).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-1", e);
        }
    }
}
