package io.stampedeguard.filter.redis;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;

class RedisKeyFilterContractTest extends RedisKeyFilterContract {
    private static final RedisStore STORE = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @AfterAll
    static void close() {
        STORE.close();
    }

    @Override
    protected RedisStore store() {
        return STORE;
    }
}
