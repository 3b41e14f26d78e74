package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.Message;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongFunction;
import redis.clients.jedis.RedisClient;

/**
 * What a process is connected to, from its start to its end.
 *
 * @param index which process this is, from 0
 * @param prefix what the names of the run's keys begin with
 * @param origin the database
 * @param redis Redis, as mode plain uses it
 * @param store the same client, as the guarded modes use it
 */
record MemberConnections(int index, String prefix, Origin origin, RedisClient redis, RedisStore store)
        implements AutoCloseable {
    /** One for each caller, so that nobody waits for anything but Redis and the database; but a server has limits. */
    private static final int MOST_REDIS_CONNECTIONS = 64;

    static MemberConnections open(Message connect) {
        String prefix = connect.text("prefix");
        int connections = (int) Math.min(connect.number("callers"), MOST_REDIS_CONNECTIONS);
        DatabaseAddress database =
                new DatabaseAddress(connect.text("jdbcUrl"), connect.text("jdbcUser"), connect.text("jdbcPassword"));
        RedisClient redis = PlainRedis.connect(connect.text("redis"), connections);
        return new MemberConnections(
                (int) connect.number("index"),
                prefix,
                new Origin(database, connect.text("tables")),
                redis,
                RedisStore.using(
                        redis, RedisStoreOptions.builder().keyPrefix(prefix).build()));
    }

    /** How a load reads, and how long it then works on that. */
    record Read(ProductRead read, Duration work) {}

    /** Opens a cache in the mode of a phase; equal names in several processes are one cache. */
    ProductCache cache(Mode mode, String name, CachePolicy policy, Read read, Answers answers) {
        LongFunction<String> load = key -> {
            answers.loading();
            return load(read, key);
        };
        return switch (mode) {
            case PLAIN ->
                new PlainCache(redis, prefix + name + ":", policy.softTtl().toMillis(), load);
            case GUARDED, GUARDED_NEAR -> GuardedCache.open(mode, store, name, policy, answers, load);
        };
    }

    private String load(Read read, long key) {
        try {
            return origin.read(read.read(), Catalogue.productFor(key), read.work());
        } catch (SQLException e) {
            throw new IllegalStateException("the database failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted at work", e);
        }
    }

    @Override
    public void close() {
        store.close();
        redis.close();
        origin.close();
    }
}
