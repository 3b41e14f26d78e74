package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.LeaseContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import redis.clients.jedis.RedisProtocol;

class Resp3PrefixLeaseTest extends LeaseContract {
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

    @Override
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }
}
