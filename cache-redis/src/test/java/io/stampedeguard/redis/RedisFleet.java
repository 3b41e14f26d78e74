package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.testbed.measure.StallMeter;
import io.stampedeguard.testbed.measure.Stalls;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.RecordingListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * A fleet in one JVM, like {@link Fleet}, but over a real Redis and in real time: each process has a cache and
 * connections of its own. A plain client serves naive caches under the same circumstances.
 */
public final class RedisFleet implements AutoCloseable {
    private static final int CONNECTIONS = 32;

    private final String name = "f" + Long.toHexString(System.nanoTime());
    private final RedisClient redis = SharedRedis.client();
    private final StallMeter stalls = StallMeter.start(Duration.ofMillis(5), () -> redis.exists("nothing"));
    private final RecordingListener listener = new RecordingListener();
    private final Origin origin = new Origin("row");
    private final Callers callers = new Callers();
    private final List<StampedeGuardedCache<String, String>> caches = new ArrayList<>();
    private final List<RedisStore> stores = new ArrayList<>();
    private final CachePolicy policy;

    /** Creates a fleet without processes. */
    public RedisFleet(CachePolicy policy) {
        this.policy = policy;
    }

    /** Creates a fleet with a number of processes. */
    public RedisFleet(int processes, CachePolicy policy) {
        this(policy);
        for (int i = 0; i < processes; i++) {
            join(Duration.ZERO, store -> store);
        }
    }

    /** Adds a process whose wall clock is wrong by a duration, and whose store may be a wrapper of the real one. */
    public StampedeGuardedCache<String, String> join(Duration skew, UnaryOperator<CacheStore> around) {
        SkewedTime time = new SkewedTime(skew);
        RedisStore store = time.storeOn(SharedRedis.uri(), CONNECTIONS);
        stores.add(store);
        StampedeGuardedCache<String, String> cache = textCache(name, around.apply(store))
                .policy(policy)
                .listener(listener)
                .timeSource(time)
                .build();
        caches.add(cache);
        return cache;
    }

    /** Returns the cache of one process. */
    public StampedeGuardedCache<String, String> cache(int process) {
        return caches.get(process);
    }

    /** Returns the store of one process. */
    public RedisStore store(int process) {
        return stores.get(process);
    }

    /** Reads a key through one process, on a thread of its own. */
    public Callers.Call<String> get(int process, String key) {
        return callers.call(() -> cache(process).get(key, origin::read));
    }

    /** Returns the name of the caches, which is unique: suitable for the keys of naive ones, too. */
    public String name() {
        return name;
    }

    /** Returns the name of a key in the store. */
    public String storeKey(String key) {
        return name + ":" + key;
    }

    /** Returns the Redis key of a value. */
    public String valueKey(String key) {
        return "{" + storeKey(key) + "}";
    }

    /** Returns the Redis key of a lease. */
    public String leaseKey(String key) {
        return valueKey(key) + ":lease";
    }

    /** Returns the plain client. */
    public UnifiedJedis redis() {
        return redis;
    }

    /** Ends a lock or lease now, as if its holder had stalled for that long. */
    public void runOut(String lock) {
        redis.pexpire(lock, 1);
        Fleet.until(() -> !redis.exists(lock));
    }

    /** Returns when a key expires, in milliseconds by the clock of Redis (which must be 7.0 or later for this). */
    public long endMillis(String key) {
        return redis.pexpireTime(key);
    }

    /** Returns when this process or Redis stalled. */
    public Stalls stalls() {
        return stalls.noted();
    }

    /** Returns the events of all processes. */
    public RecordingListener listener() {
        return listener;
    }

    /** Returns the origin. */
    public Origin origin() {
        return origin;
    }

    /** Returns the callers. */
    public Callers callers() {
        return callers;
    }

    @Override
    public void close() {
        callers.close();
        caches.forEach(StampedeGuardedCache::close);
        origin.open();
        stores.forEach(RedisStore::close);
        stalls.close();
        redis.close();
    }
}
