package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.RedisUri;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/**
 * A client whose puts take a way of the test's choice to the server: when they are sent, how often, and what their callers hear of
 * them. Only a put that loads the script is sent at once. <em>Thread-safe.</em>
 */
public final class PutsOnTheirWay extends UnifiedJedis {
    private static final int KEYS_OF_PUT = 3;
    private static final int ARGUMENTS_OF_PUT = 8;
    private static final int CONNECTIONS = 16;

    private volatile Way way = Supplier::get;

    /** What happens to a put instead of being sent at once. */
    public interface Way {
        /** Returns the answer for the caller, or throws; sends the put whenever it gets it from the supplier. */
        Object send(Supplier<Object> put);
    }

    /** Creates a client with a limit on each wait. */
    public PutsOnTheirWay(String server, Duration patience) {
        super(provider(RedisUri.parse(server), patience), RedisProtocol.RESP2);
    }

    private static PooledConnectionProvider provider(RedisUri uri, Duration patience) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        pool.setMaxWait(patience);
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .user(uri.user())
                .password(uri.password())
                .timeoutMillis((int) patience.toMillis())
                .resp2()
                .build();
        return new PooledConnectionProvider(uri.address(), config, pool);
    }

    /** Sends puts in another way from now on. */
    public void send(Way another) {
        way = another;
    }

    @Override
    public Object evalsha(byte[] digest, List<byte[]> keys, List<byte[]> arguments) {
        Supplier<Object> call = () -> super.evalsha(digest, keys, arguments);
        return isPut(keys, arguments.size()) ? way.send(call) : call.get();
    }

    /** Puts of a cache that remembers changes have one key more, and one argument. */
    private static boolean isPut(List<byte[]> keys, int arguments) {
        String last = new String(keys.get(keys.size() - 1), StandardCharsets.UTF_8);
        int more = last.endsWith(":changed") ? 1 : 0;
        return keys.size() == KEYS_OF_PUT + more && arguments == ARGUMENTS_OF_PUT + more;
    }
}
