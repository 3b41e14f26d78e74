package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.InvalidationEventsContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Fulfilled with either feed. Both stores are opened anew for each test, so that each begins without connections. */
@ParameterizedClass
@EnumSource(InvalidationMode.class)
abstract class RedisInvalidationEventsContract extends InvalidationEventsContract {
    private final List<RedisStore> opened = new ArrayList<>();

    @Parameter
    InvalidationMode feed;

    /** Opens a store. */
    protected abstract RedisStore open(RedisStoreOptions options);

    private RedisStore kept() {
        RedisStore store = open(SharedRedis.PATIENT.toBuilder()
                .maxConnections(2)
                .invalidationMode(feed)
                .build());
        opened.add(store);
        return store;
    }

    @Override
    protected SharedStore store() {
        return kept();
    }

    @Override
    protected SharedStore other() {
        return kept();
    }

    @AfterEach
    void closeStores() {
        opened.forEach(RedisStore::close);
    }
}
