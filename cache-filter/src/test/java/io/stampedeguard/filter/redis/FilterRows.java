package io.stampedeguard.filter.redis;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/**
 * An origin that several processes share, on a Redis of its own: rows, and which of them have been announced, so that
 * any process may look them up. For one thread.
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

    /** To be called after the announcement has returned. */
    void announced(long row) {
        redis.rpush(ANNOUNCED, Long.toString(row));
    }

    /** Opens a stream of all existing rows. */
    Stream<Long> all() {
        return redis.smembers(ROWS).stream().map(Long::parseLong);
    }

    /** Returns how many rows have been announced. */
    long count() {
        return redis.llen(ANNOUNCED);
    }

    /** Returns a number of rows, from an index on; a negative index counts from the end. */
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
