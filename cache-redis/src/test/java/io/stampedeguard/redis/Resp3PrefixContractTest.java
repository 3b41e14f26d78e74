package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.RedisUri;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** A client of the application that speaks RESP3, and a key prefix. */
@Tag("topology")
class Resp3PrefixContractTest extends RedisContract {
    private static final List<RedisClient> CLIENTS = new CopyOnWriteArrayList<>();
    private static final RedisStore STORE = using(SharedRedis.PATIENT);

    private static RedisStore using(RedisStoreOptions options) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxWait(SharedRedis.PATIENCE);
        RedisUri uri = RedisUri.parse(SharedRedis.uri());
        RedisClient client = RedisClient.builder()
                .hostAndPort(uri.address())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .resp3()
                        .user(uri.user())
                        .password(uri.password())
                        .clientName("contract-test")
                        .timeoutMillis((int) SharedRedis.PATIENCE.toMillis())
                        .build())
                .poolConfig(pool)
                .build();
        CLIENTS.add(client);
        return RedisStore.using(client, options.toBuilder().keyPrefix("shop:%").build());
    }

    @AfterAll
    static void close() {
        STORE.close();
        CLIENTS.forEach(RedisClient::close);
    }

    @Override
    protected RedisStore store() {
        return STORE;
    }

    @Override
    RedisStore open(RedisStoreOptions options) {
        return using(options);
    }
}
