package io.stampedeguard.redis.near;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.WallClock;
import java.util.List;
import redis.clients.jedis.RedisClient;

/**
 * The origin of a fleet, on a Redis server of its own: each row is a version, which grows with each write; the times at
 * which the loads of a row began are recorded, too. <em>Thread-safe.</em>
 */
final class Rows implements AutoCloseable {
    private final RedisClient redis;

    Rows(String uri) {
        redis = PlainRedis.client(uri);
    }

    /** Writes a row; returns its new version. */
    long write(String key) {
        return redis.hincrBy("rows", key, 1);
    }

    /** The loader. */
    String load(String key, long millis) throws InterruptedException {
        redis.rpush("loads:" + key, Long.toString(WallClock.micros()));
        String version = redis.hget("rows", key);
        Thread.sleep(millis);
        return version;
    }

    /** Returns when the loads of a row began, in microseconds since the epoch. */
    List<Long> loads(String key) {
        return redis.lrange("loads:" + key, 0, -1).stream().map(Long::valueOf).toList();
    }

    @Override
    public void close() {
        redis.close();
    }
}
