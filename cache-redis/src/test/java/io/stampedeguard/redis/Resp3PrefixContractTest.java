package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.NoticesContract;
import org.junit.jupiter.api.AfterAll;
import redis.clients.jedis.RedisProtocol;

class Resp3PrefixContractTest extends NoticesContract {
    private static final RedisStore STORE = RedisStore.connect(
            SharedRedis.uri(),
            RedisStoreOptions.builder()
                    .protocol(RedisProtocol.RESP3)
                    .keyPrefix("shop:")
                    .clientName("contract-test")
                    .build());

    @AfterAll
    static void close() {
        STORE.close();
    }

    @Override
    protected SharedStore store() {
        return STORE;
    }
}
