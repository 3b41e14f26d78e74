package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.Jedis;

/**
 * A Redis server whose clock a test sets, as its clients see it: {@code TIME}, by itself and in scripts, and the ends of all keys,
 * in one step. Scripts read the time from the server's clock and a number of seconds that is stored beside the keys: a proxy
 * changes them on their way. <em>Thread-safe.</em>
 */
final class SettableServer implements AutoCloseable {
    private static final String TIME_OF_SCRIPTS = "call('TIME')";

    private static final String SET_TIME = """
            local function timeAsSet()
              local time = redis.call('TIME')
              return {string.format('%.0f', time[1] + (redis.call('GET', 'clock') or 0)), time[2]}
            end
            """;

    /** ARGV: by how many seconds the clock is set ahead; a key that is over by the new time is gone. */
    private static final String SET = """
            for _, key in ipairs(redis.call('KEYS', '*')) do
              local left = redis.call('PTTL', key)
              if left >= 0 then
                redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[1] * 1000))
              end
            end
            return redis.call('INCRBY', 'clock', ARGV[1])
            """;

    private final RedisProcess server = RedisServer.startProcess();
    private final Jedis admin = PlainRedis.admin(server.host(), server.port());
    private final CommandProxy proxy = new CommandProxy(server.host(), server.port(), this::changed);

    /** The digests of the changed scripts, by those of the library's. */
    private final Map<String, byte[]> digests = new ConcurrentHashMap<>();

    String uri() {
        return proxy.uri();
    }

    /** Sets the clock ahead, or back by a negative length; of whole seconds. */
    void setAhead(Duration by) {
        synchronized (admin) {
            admin.eval(SET, 0, Long.toString(by.toSeconds()));
        }
    }

    private List<byte[]> changed(List<byte[]> command) {
        List<byte[]> words = new ArrayList<>(command);
        switch (new String(command.get(0), UTF_8).toUpperCase(Locale.ROOT)) {
            case "TIME" -> words = List.of(bytes("EVAL"), bytes(SET_TIME + "return timeAsSet()"), bytes("0"));
            case "EVAL" -> words.set(1, changedScript(command.get(1)));
            case "EVALSHA" -> words.set(1, digests.getOrDefault(new String(command.get(1), UTF_8), command.get(1)));
            default -> {}
        }
        return words;
    }

    private byte[] changedScript(byte[] script) {
        byte[] changed = bytes(SET_TIME + new String(script, UTF_8).replace(TIME_OF_SCRIPTS, "timeAsSet()"));
        digests.put(new String(digest(script), UTF_8), digest(changed));
        return changed;
    }

    private static byte[] digest(byte[] script) {
        try {
            return bytes(
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(script)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Override
    public void close() {
        proxy.close();
        admin.close();
        server.close();
    }
}
