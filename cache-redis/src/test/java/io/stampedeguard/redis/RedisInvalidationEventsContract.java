package io.stampedeguard.redis;

import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.InvalidationEventsContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Both stores are opened anew for each test, so that each begins without connections. */
abstract class RedisInvalidationEventsContract extends InvalidationEventsContract {
    private final List<RedisStore> opened = new ArrayList<>();

    /** Opens a store. */
    protected abstract RedisStore open(RedisStoreOptions options);

    private RedisStore kept() {
        RedisStore store =
                open(SharedRedis.PATIENT.toBuilder().maxConnections(2).build());
        opened.add(store);
        return store;
    }

    @Override
    protected CacheStore store() {
        return kept();
    }

    @Override
    protected CacheStore other() {
        return kept();
    }

    @AfterEach
    void closeStores() {
        opened.forEach(RedisStore::close);
    }
}
