package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.LeaseNotificationsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.RedisProtocol;

@Tag("topology")
class Resp3PrefixContractTest extends LeaseNotificationsContract {
    private static final RedisStore STORE = connect(SharedRedis.PATIENT);

    private static RedisStore connect(RedisStoreOptions options) {
        return RedisStore.connect(
                SharedRedis.uri(),
                options.toBuilder()
                        .protocol(RedisProtocol.RESP3)
                        .keyPrefix("shop:%")
                        .clientName("contract-test")
                        .build());
    }

    @AfterAll
    static void close() {
        STORE.close();
    }

    @Override
    protected SharedStore store() {
        return STORE;
    }

    @Nested
    class OfChanges extends RedisInvalidationEventsContract {
        @Override
        protected RedisStore open(RedisStoreOptions options) {
            return connect(options);
        }
    }
}
