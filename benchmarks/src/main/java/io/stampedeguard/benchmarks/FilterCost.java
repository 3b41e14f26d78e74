package io.stampedeguard.benchmarks;

import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.RedisCpu;
import io.stampedeguard.testbed.measure.RedisMemory;
import java.util.List;
import java.util.stream.LongStream;
import redis.clients.jedis.RedisClient;

/**
 * The cost of a key filter on Redis: the time to rebuild it and to load a copy, the size of the copy, the growth of
 * Redis, the share of nonexistent keys that pass, and the cost of one lookup of an absent key for Redis and for its caller.
 */
public final class FilterCost {
    private static final double RATE = 0.01;
    private static final int NONEXISTENT = 1_000_000;
    private static final int BATCH = 1_000;
    private static final int LOOKS = 50_000;
    private static final int ROUNDS = 5;

    private final RedisClient client;
    private final RedisStore store;
    private final long rows;

    private FilterCost(RedisClient client, RedisStore store, long rows) {
        this.client = client;
        this.store = store;
        this.rows = rows;
    }

    /** Runs the measurement, which takes about two minutes; the argument is the number of rows, 10,000,000 if absent. */
    public static void main(String[] arguments) {
        long rows = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10_000_000;
        try (RedisServer redis = RedisServer.start();
                RedisClient client = RedisClient.create(redis.uri());
                RedisStore store = RedisStore.connect(redis.uri())) {
            FilterCost cost = new FilterCost(client, store, rows);
            try (RedisKeyFilter<Long> filter = cost.open()) {
                cost.rebuild(filter);
                cost.load();
                cost.rate(filter);
                for (int round = 0; round < ROUNDS; round++) {
                    cost.lookUp(filter);
                }
            }
        }
    }

    private RedisKeyFilter<Long> open() {
        return RedisKeyFilter.<Long>builder("cost", store)
                .expectedKeys(rows)
                .falsePositiveRate(RATE)
                .build();
    }

    /** Rebuilds twice, since the first filter does not replace another. */
    private void rebuild(RedisKeyFilter<Long> filter) {
        RedisMemory before = RedisMemory.parse(client.info("memory"));
        for (String which : List.of("first", "second")) {
            long began = System.nanoTime();
            filter.rebuild(() -> LongStream.rangeClosed(1, rows).boxed());
            print(which + " rebuild of " + rows + " rows", seconds(began), "s");
        }
        print("growth of Redis", RedisMemory.parse(client.info("memory")).mebibytesSince(before), "MiB");
    }

    private void load() {
        for (int round = 0; round < ROUNDS; round++) {
            long began = System.nanoTime();
            try (RedisKeyFilter<Long> late = open()) {
                while (late.state().estimatedKeys() == 0) {
                    Thread.onSpinWait();
                }
                print("load of a copy", seconds(began), "s");
            }
        }
        print("size of the copy", BloomShape.of(rows, RATE).bytes() / (double) (1 << 20), "MiB");
    }

    private void rate(RedisKeyFilter<Long> filter) {
        long absent = 0;
        long began = System.nanoTime();
        for (long from = 1; from <= NONEXISTENT; from += BATCH) {
            absent += filter.definitelyAbsent(LongStream.range(from, from + BATCH)
                            .map(row -> -row)
                            .boxed()
                            .toList())
                    .size();
        }
        print("nonexistent keys that pass", 100.0 * (NONEXISTENT - absent) / NONEXISTENT, "%");
        print("each of them, 1,000 at once", seconds(began) * 1e6 / NONEXISTENT, "us");
        print("estimated by the filter", 100 * filter.state().estimatedRate(), "%");
    }

    private void lookUp(RedisKeyFilter<Long> filter) {
        Latencies latencies = new Latencies();
        RedisCpu before = RedisCpu.parse(client.info("cpu"));
        for (int i = 0; i < LOOKS; i++) {
            long began = System.nanoTime();
            filter.mightContain(-1L - i);
            latencies.record(System.nanoTime() - began);
        }
        System.out.printf(
                "lookup of an absent key           p50 %6.1f us  p99 %7.1f us  Redis CPU %5.2f us%n",
                latencies.millisAt(50) * 1_000,
                latencies.millisAt(99) * 1_000,
                RedisCpu.parse(client.info("cpu")).microsSince(before) / LOOKS);
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private static void print(String what, double value, String unit) {
        System.out.printf("%-32s  %9.3f %s%n", what, value, unit);
    }
}
