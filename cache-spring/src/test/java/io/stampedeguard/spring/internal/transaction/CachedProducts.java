package io.stampedeguard.spring.internal.transaction;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.spring.TransactionOptions;
import io.stampedeguard.store.InMemoryStore;
import java.time.Duration;
import java.time.Instant;

/** The row of a database through a cache, which takes part in transactions as annotated methods do. */
final class CachedProducts implements AutoCloseable {
    private static final String CACHE = "products";
    private static final String KEY = "42";

    final Transactions transactions;
    private final Database database;
    private final StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder(CACHE)
            .store(InMemoryStore.create())
            .codec(StringCodec.of())
            .policy(CachePolicy.builder()
                    .softTtl(Duration.ofMinutes(30))
                    .hardTtl(Duration.ofHours(1))
                    .changeMemory(Duration.ofMinutes(30))
                    .build())
            .build();

    CachedProducts(Database database, TransactionOptions options) {
        this.database = database;
        this.transactions = Transactions.of(options);
    }

    /** Returns what a method with {@code @Cacheable} returns. */
    String name() {
        Access access = transactions.access(CACHE, KEY);
        if (!access.mayStore()) {
            return database.name();
        }
        Instant begin = access.snapshotBegin();
        transactions.loaded(CACHE, KEY, this::remove);
        return cache.get(KEY, Loader.adaptive((key, previous) -> {
            LoadedValue<String> loaded = LoadedValue.of(database.name());
            return begin == null ? loaded : loaded.asOf(begin);
        }));
    }

    private void remove() {
        cache.invalidate(KEY);
    }

    void put(String name) {
        transactions.change(CACHE, Change.put(KEY, this::remove), () -> cache.put(KEY, name));
    }

    void evict() {
        transactions.change(CACHE, Change.ofKey(KEY), this::remove);
    }

    void clear() {
        transactions.change(CACHE, Change.ofAll(), cache::invalidateAll);
    }

    /** Returns what everybody else is served; {@code null} if that must be loaded. */
    String cached() {
        return cache.getIfPresent(KEY);
    }

    @Override
    public void close() {
        cache.close();
    }
}
