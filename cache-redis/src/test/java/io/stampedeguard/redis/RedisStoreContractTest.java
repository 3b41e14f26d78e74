package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.NoticesContract;
import org.junit.jupiter.api.AfterAll;

class RedisStoreContractTest extends NoticesContract {
    private static final RedisStore STORE = RedisStore.connect(SharedRedis.uri());

    @AfterAll
    static void close() {
        STORE.close();
    }

    @Override
    protected SharedStore store() {
        return STORE;
    }
}
