package io.stampedeguard.demo;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The run's own keys on a Redis that may be shared: all have one prefix, and are removed by it, never by a flush. */
final class Keyspace implements AutoCloseable {
    private static final int AT_ONCE = 1_000;

    private final RedisClient redis;
    private final String prefix;

    private Keyspace(RedisClient redis, String prefix) {
        this.redis = redis;
        this.prefix = prefix;
    }

    /** Connects; throws an {@link IllegalStateException} if the server refuses that, or is in cluster mode. */
    static Keyspace open(RedisServer server, String prefix) {
        try {
            RedisClient redis = PlainRedis.connectPatiently(server.uri(), 1);
            try {
                refuseIfOfCluster(redis, server);
            } catch (RuntimeException e) {
                redis.close();
                throw e;
            }
            return new Keyspace(redis, prefix);
        } catch (JedisException e) {
            throw new IllegalStateException("cannot use the Redis " + server.description(), e);
        }
    }

    private static void refuseIfOfCluster(RedisClient redis, RedisServer server) {
        if (redis.info("cluster").contains("cluster_enabled:1")) {
            throw new IllegalStateException("the Redis " + server.description()
                    + ", is in cluster mode, which the demo does not support: use one with cluster-enabled no");
        }
    }

    String prefix() {
        return prefix;
    }

    RedisCommands commands() {
        return RedisCommands.parse(redis.info("commandstats"));
    }

    void clear() {
        scan(this::remove);
    }

    /** A proxy or a cluster may refuse a command for keys of several slots. */
    private void remove(List<String> keys) {
        try {
            redis.unlink(keys.toArray(String[]::new));
        } catch (JedisDataException refused) {
            keys.forEach(redis::unlink);
        }
    }

    long count(Predicate<String> kind) {
        Set<String> counted = new HashSet<>(); // a scan may return a key twice
        scan(keys -> keys.stream().filter(kind).forEach(counted::add));
        return counted.size();
    }

    private void scan(Consumer<List<String>> eachTime) {
        ScanIteration scan = redis.scanIteration(AT_ONCE, prefix + "*");
        while (!scan.isIterationCompleted()) {
            List<String> keys = scan.nextBatch().getResult();
            if (!keys.isEmpty()) {
                eachTime.accept(keys);
            }
        }
    }

    @Override
    public void close() {
        try {
            clear();
        } finally {
            redis.close();
        }
    }
}
