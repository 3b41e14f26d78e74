package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The machine's clocks, except that the wall clock is wrong. <em>Immutable.</em> */
final class SkewedTime extends ForwardingTime {
    /** Longer than any machine is busy. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Duration skew;

    /** Creates a time that is ahead by a duration, or behind, if that is negative. */
    SkewedTime(Duration skew) {
        super(TimeSource.system());
        this.skew = skew;
    }

    /** Creates a store that uses this time. */
    RedisStore storeOn(String server, int connections) {
        RedisUri uri = RedisUri.parse(server);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(TIMEOUT);
        RedisClient client = RedisClient.builder()
                .hostAndPort(uri.address())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .user(uri.user())
                        .password(uri.password())
                        .timeoutMillis((int) TIMEOUT.toMillis())
                        .build())
                .poolConfig(pool)
                .build();
        ClientConnections connected = ClientConnections.of(client);
        RedisKeys keys = new RedisKeys("");
        Commands commands = new Commands(client, connected, TIMEOUT, "", null, true, keys, this);
        Servers servers = Servers.of(client, connected, null, keys);
        InvalidationFeed changes = StoreAssembly.changes(servers, keys, commands::silent);
        return new RedisStore(commands, keys, this, client, servers, changes);
    }

    @Override
    public long wallMillis() {
        return super.wallMillis() + skew.toMillis();
    }

    @Override
    public long monotonicNanos() {
        return super.monotonicNanos() + skew.toNanos();
    }
}
