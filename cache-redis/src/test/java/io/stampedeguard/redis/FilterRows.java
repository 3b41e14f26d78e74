package io.stampedeguard.redis;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/**
 * An origin that several processes share, on a Redis of its own: rows, and which of them have been announced, so that
 * anybody may look them up. For one thread.
 */
final class FilterRows implements AutoCloseable {
    private static final String ROWS = "rows";
    private static final String ANNOUNCED = "announced";

    /** Longer than any machine is busy. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Jedis redis;

    FilterRows(String uri) {
        redis = new Jedis(URI.create(uri), TIMEOUT_MILLIS);
    }

    void insert(long row) {
        redis.sadd(ROWS, Long.toString(row));
    }

    /** To be called when the announcement has returned. */
    void announced(long row) {
        redis.rpush(ANNOUNCED, Long.toString(row));
    }

    /** Opens all rows that there are by now. */
    Stream<Long> all() {
        return redis.smembers(ROWS).stream().map(Long::parseLong);
    }

    /** Returns how many rows have been announced. */
    long count() {
        return redis.llen(ANNOUNCED);
    }

    /** Returns so many rows, from one of them on; from a negative place, counted from the last. */
    List<Long> announced(long from, int number) {
        List<Long> rows = new ArrayList<>();
        redis.lrange(ANNOUNCED, from, from + number - 1).forEach(row -> rows.add(Long.parseLong(row)));
        return rows;
    }

    @Override
    public void close() {
        redis.close();
    }
}
