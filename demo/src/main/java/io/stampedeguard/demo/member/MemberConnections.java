package io.stampedeguard.demo.member;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.product.GuardedCache;
import io.stampedeguard.demo.product.GuardedCache.Extras;
import io.stampedeguard.demo.product.PlainCache;
import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.product.ProductLoad;
import io.stampedeguard.demo.scenario.RowNews;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.function.LongToIntFunction;
import redis.clients.jedis.RedisClient;

/**
 * The connections of a process, from its start to its end. The store of the guarded modes uses the client of mode plain, {@code
 * redis}; {@code news} is a separate connection, on which processes announce new rows to each other.
 */
record MemberConnections(int index, String prefix, Origin origin, RedisClient redis, RedisStore store, RedisClient news)
        implements AutoCloseable {
    /** One for each caller, so that callers wait only for Redis and the database; limited, since servers have limits. */
    private static final int MOST_REDIS_CONNECTIONS = 64;

    /** For reloads, renewals, and releases, which run in the background. */
    private static final int BACKGROUND_CONNECTIONS = 4;

    /** No fault is a slow Redis: only one that was stopped does not answer, however busy the machine is. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    static MemberConnections open(Message connect) {
        return open(
                (int) connect.number("index"),
                connect.text("prefix"),
                new Origin(connect.read(DatabaseAddress.class), connect.text("tables")),
                connect);
    }

    /** Opens connections to another Redis, and shares the origin; they are closed by {@link #closeRedis}. */
    MemberConnections elsewhere(Message prepare) {
        return open(index, prefix, origin, prepare);
    }

    private static MemberConnections open(int index, String prefix, Origin origin, Message address) {
        int connections = (int) Math.min(address.number("callers") + BACKGROUND_CONNECTIONS, MOST_REDIS_CONNECTIONS);
        RedisClient redis = PlainRedis.connectPatiently(address.text("redis"), connections);
        return new MemberConnections(
                index,
                prefix,
                origin,
                redis,
                RedisStore.using(
                        redis,
                        RedisStoreOptions.builder()
                                .keyPrefix(prefix)
                                .commandTimeout(PATIENCE)
                                .build()),
                PlainRedis.connectPatiently(address.text("redis"), 1));
    }

    /** A load: how it reads, how long it then works on the result, and which product it reads for a key. */
    record Read(ProductRead read, Duration work, LongToIntFunction product) {}

    /** Opens a cache in the mode of a phase; equal names in several processes are one cache. */
    ProductCache cache(Mode mode, String name, CachePolicy policy, Read read, Answers answers) {
        ProductLoad load = key -> {
            answers.loading();
            String product = origin.load(read.read(), read.product().applyAsInt(key), read.work());
            if (product == null) {
                answers.foundNothing();
            }
            return product;
        };
        return switch (mode) {
            case PLAIN ->
                new PlainCache(redis, prefix + name + ":", policy.softTtl().toMillis(), load);
            case PLAIN_BOUNDED ->
                new PlainCache(
                        redis,
                        prefix + name + ":",
                        policy.softTtl().toMillis(),
                        load.bounded(policy.maxConcurrentLoads()));
            case GUARDED, GUARDED_NEAR, GUARDED_FILTER ->
                GuardedCache.open(store, name, policy, Extras.of(mode), answers, load);
        };
    }

    RowNews news(int processes) {
        return new RowNews(news, prefix, processes);
    }

    void closeRedis() {
        news.close();
        store.close();
        redis.close();
    }

    @Override
    public void close() {
        closeRedis();
        origin.close();
    }
}
