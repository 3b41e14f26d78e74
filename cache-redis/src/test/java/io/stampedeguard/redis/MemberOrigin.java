package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * The origin of a fleet, on a Redis server that all members and the test use: the row {@code row:KEY}; the times at
 * which its loads began in {@code loads:KEY}, and failed in {@code failures:KEY}, in microseconds.
 * <em>Thread-safe.</em>
 */
final class MemberOrigin implements AutoCloseable {
    private final RedisClient redis;

    MemberOrigin(String uri) {
        redis = PlainRedis.client(uri);
    }

    void write(String key, String row) {
        redis.set("row:" + key, row);
    }

    List<Long> loads(String key) {
        return instants("loads:" + key);
    }

    /** Returns the key of the list of a key's loads. */
    byte[] loadsKey(String key) {
        return ("loads:" + key).getBytes(UTF_8);
    }

    List<Long> failures(String key) {
        return instants("failures:" + key);
    }

    void openGate(String key) {
        redis.set("gate:" + key, "open");
    }

    /**
     * The loader: takes {@code loadMillis}, and ends as {@code load} specifies: with the row, when a gate opens, with a
     * failure, or never.
     */
    @Nullable
    String load(String key, Message order) throws IOException, InterruptedException {
        String began = now();
        String row = redis.get("row:" + key);
        redis.rpush("loads:" + key, began); // written last: a test that sees it knows that the row was read
        Thread.sleep(order.number("loadMillis"));
        switch (order.fields().getOrDefault("load", "row")) {
            case "gated" -> awaitGate(key);
            case "fails" -> fail(key);
            case "never" -> new CountDownLatch(1).await();
            case "never, interrupted or not" -> neverReturn();
            default -> {}
        }
        return row;
    }

    private void awaitGate(String key) throws InterruptedException {
        while (!redis.exists("gate:" + key)) {
            Thread.sleep(5);
        }
    }

    /** The loader of many keys: takes {@code loadMillis} for all. */
    Map<String, String> loadAll(Set<String> keys, Message order) throws InterruptedException {
        String began = now();
        Map<String, String> rows = new HashMap<>();
        keys.forEach(key -> rows.put(key, redis.get("row:" + key)));
        keys.forEach(key -> redis.rpush("loads:" + key, began));
        Thread.sleep(order.number("loadMillis"));
        return rows;
    }

    private void fail(String key) throws IOException {
        redis.rpush("failures:" + key, now());
        throw new IOException("origin is down");
    }

    private static void neverReturn() {
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException notToBeHeard) {
                // Like a driver that waits on a socket.
            }
        }
    }

    private List<Long> instants(String name) {
        return redis.lrange(name, 0, -1).stream().map(Long::valueOf).toList();
    }

    private static String now() {
        return Long.toString(WallClock.micros());
    }

    @Override
    public void close() {
        redis.close();
    }
}
