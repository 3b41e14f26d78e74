package io.stampedeguard.demo;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** The run's own keys on a Redis that may be shared: all have one prefix, and are removed by it, never by a flush. */
final class Keyspace implements AutoCloseable {
    private static final int AT_ONCE = 1_000;

    private final RedisClient redis;
    private final String prefix;

    Keyspace(String uri, String prefix) {
        this.redis = PlainRedis.connectPatiently(uri, 1);
        this.prefix = prefix;
    }

    String prefix() {
        return prefix;
    }

    RedisCommands commands() {
        return RedisCommands.parse(redis.info("commandstats"));
    }

    void clear() {
        scan(keys -> redis.unlink(keys.toArray(String[]::new)));
    }

    long count(Predicate<String> kind) {
        Set<String> counted = new HashSet<>(); // a scan may return a key twice
        scan(keys -> keys.stream().filter(kind).forEach(counted::add));
        return counted.size();
    }

    private void scan(Consumer<List<String>> eachTime) {
        ScanParams own = new ScanParams().match(prefix + "*").count(AT_ONCE);
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> scanned = redis.scan(cursor, own);
            List<String> keys = scanned.getResult();
            if (!keys.isEmpty()) {
                eachTime.accept(keys);
            }
            cursor = scanned.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
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
