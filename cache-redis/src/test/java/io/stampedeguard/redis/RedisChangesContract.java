package io.stampedeguard.redis;

import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.ChangesContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Both stores are opened anew for each test, so that each begins with no line open. */
abstract class RedisChangesContract extends ChangesContract {
    private final List<RedisStore> opened = new ArrayList<>();

    /** Opens a store. */
    protected abstract RedisStore open();

    private RedisStore kept() {
        RedisStore store = open();
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

    static RedisStoreOptions options(ChangeFeed feed) {
        return RedisStoreOptions.builder().maxConnections(2).changeFeed(feed).build();
    }
}
