package io.stampedeguard.demo.serve.member;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stampedeguard.demo.product.GuardedCache;
import io.stampedeguard.demo.product.GuardedCache.Extras;
import io.stampedeguard.demo.product.PlainCache;
import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.product.ProductLoad;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.metrics.MicrometerListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** The cache of a process, plain or guarded, with its connections, its store, and its meters, empty for the plain one. */
record MemberCache(ProductCache products, PrometheusMeterRegistry meters, RedisStore store, RedisClient redis)
        implements AutoCloseable {
    private static final String NAME = "products";
    private static final int CONNECTIONS = Load.CALLERS;
    private static final int MAX_CONCURRENT_LOADS = 8;
    private static final long AGAIN_MILLIS = 500;

    /** Early refresh, and the guard that defers reloads of a slow origin, would hide what a button does. */
    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(Load.TTL)
            .hardTtl(Load.TTL.multipliedBy(6))
            .jitter(Load.JITTER)
            .maxConcurrentLoads(MAX_CONCURRENT_LOADS)
            .earlyRefresh(0)
            .originGuard(false)
            .build();

    /** After a restart of Redis, copies answer until all products are loaded again, even on a slow machine. */
    private static final NearCacheOptions NEAR = NearCacheOptions.builder()
            .maximumSize(1_000)
            .maxStaleness(Duration.ofSeconds(10))
            .build();

    /** {@code waiting} is called repeatedly while there is no Redis. */
    static MemberCache open(Message connect, ProductLoad load, Runnable waiting) throws InterruptedException {
        Side side = Side.valueOf(connect.text("side"));
        String prefix = connect.text("prefix");
        RedisClient redis = awaitRedis(connect.text("redis"), waiting);
        RedisStore store = RedisStore.using(
                redis, RedisStoreOptions.builder().keyPrefix(prefix).build());
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.config().commonTags("process", connect.text("process"));
        ProductCache products = side == Side.NAIVE
                ? new PlainCache(redis, prefix + NAME + ":", Load::ttlMillis, load)
                : guarded(store, listener(meters), load);
        return new MemberCache(products, meters, store, redis);
    }

    private static ProductCache guarded(RedisStore store, CacheListener listener, ProductLoad load) {
        return new SwitchableCache(
                near -> GuardedCache.open(store, NAME, POLICY, new Extras(near ? NEAR : null, true), listener, load));
    }

    /** Switches the near cache; without effect on the plain cache. */
    void near(boolean on) {
        if (products instanceof SwitchableCache switchable) {
            switchable.near(on);
        }
    }

    /** With histograms, for the percentiles of the dashboard. */
    private static MicrometerListener listener(PrometheusMeterRegistry meters) {
        return MicrometerListener.builder(meters).histograms(true).build();
    }

    /** A process that is started while Redis is stopped waits for it. */
    private static RedisClient awaitRedis(String address, Runnable waiting) throws InterruptedException {
        while (true) {
            try {
                return PlainRedis.connect(address, CONNECTIONS);
            } catch (JedisException stopped) {
                waiting.run();
                TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        products.close();
        store.close();
        redis.close();
    }
}
