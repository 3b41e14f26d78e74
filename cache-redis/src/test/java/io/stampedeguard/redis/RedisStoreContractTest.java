package io.stampedeguard.redis;

import org.junit.jupiter.api.AutoClose;

class RedisStoreContractTest extends RedisContract {
    @AutoClose
    private static final RedisStore STORE = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);

    @Override
    protected RedisStore store() {
        return STORE;
    }

    @Override
    RedisStore open(RedisStoreOptions options) {
        return RedisStore.connect(SharedRedis.uri(), options);
    }
}
