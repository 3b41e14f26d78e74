package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;

/** A cache of its own name for each test, in two processes that share the Redis of the test class. */
abstract class TwoProcesses {
    static final Duration LONG = Duration.ofMinutes(10);

    /** Nothing is renewed, and nobody polls. */
    static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(LONG)
            .hardTtl(LONG.multipliedBy(2))
            .leaseTtl(LONG)
            .loadTimeout(LONG)
            .waitTimeout(LONG)
            .poll(LONG)
            .earlyRefresh(0)
            .build();

    @AutoClose
    final Callers callers = new Callers();

    final Origin origin = new Origin("old");
    final String name = "two-" + UUID.randomUUID();
    final StampedeGuardedCache<String, String> a;
    final StampedeGuardedCache<String, String> b;
    private final CachePolicy policy;

    TwoProcesses(RedisStore first, RedisStore second, CachePolicy policy) {
        this.policy = policy;
        this.a = cache(first);
        this.b = cache(second);
    }

    /** Begins to load "old" in the first process; the load is held up until the origin is opened. */
    final Callers.Call<String> loadingOld(String... tags) {
        origin.close();
        Callers.Call<String> load = callers.call(() -> a.get(
                "k",
                Loader.adaptive(
                        (key, previous) -> LoadedValue.of(origin.read(key)).tags(tags))));
        Fleet.until(() -> origin.running() == 1);
        return load;
    }

    private StampedeGuardedCacheBuilder<String, String> builder(CacheStore store) {
        return textCache(name, store).policy(policy);
    }

    /** Returns the cache of another process, or of one of them by another way. */
    final StampedeGuardedCache<String, String> cache(CacheStore store) {
        return builder(store).build();
    }

    /** The same with a near cache whose copies last. */
    final StampedeGuardedCache<String, String> nearCache(CacheStore store) {
        return builder(store)
                .nearCache(NearCacheOptions.builder()
                        .maximumSize(100)
                        .maxStaleness(LONG)
                        .build())
                .build();
    }

    /** Returns whether a read of a copy sends nothing: it is one. */
    static boolean isNear(StampedeGuardedCache<String, String> near, OwnRedis redis) {
        near.getIfPresent("k");
        long before = redis.calls("mget");
        near.getIfPresent("k");
        return redis.calls("mget") == before;
    }

    @AfterEach
    final void closeCaches() {
        origin.open();
        a.close();
        b.close();
    }
}
