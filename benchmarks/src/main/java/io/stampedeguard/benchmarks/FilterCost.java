package io.stampedeguard.benchmarks;

import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.RedisKeyFilter;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.RedisCpu;
import io.stampedeguard.testbed.measure.RedisMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The cost of a key filter on Redis: the time to rebuild it and to load a copy, the size of the copy, the growth of
 * Redis, and the share of nonexistent keys that pass. It also measures the cost of one lookup of an absent key for
 * Redis and for its caller. It compares that with the script alone, with and without its check of the server's
 * incarnation, and with the Bloom commands if the server has them.
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
    public static void main(String[] arguments) throws IOException {
        long rows = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10_000_000;
        try (RedisServer redis = RedisServer.start();
                RedisClient client = RedisClient.create(redis.uri());
                RedisStore store = RedisStore.connect(redis.uri())) {
            FilterCost cost = new FilterCost(client, store, rows);
            try (RedisKeyFilter<Long> filter = cost.open()) {
                cost.rebuild(filter);
                cost.load();
                cost.rate(filter);
                cost.looks(filter);
            }
            cost.bloomCommands();
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

    private void looks(RedisKeyFilter<Long> filter) throws IOException {
        byte[] look = source();
        byte[] unsure = new String(look, StandardCharsets.UTF_8)
                .replace(
                        "redis.pcall('INFO', 'replication')",
                        "'role:master master_replid:' .. redis.call('HGET', KEYS[1], 'run')")
                .getBytes(StandardCharsets.UTF_8);
        byte[] lookDigest = client.scriptLoad(look, bytes("{cost:filter:00}"));
        byte[] unsureDigest = client.scriptLoad(unsure, bytes("{cost:filter:00}"));
        List<byte[]> keys =
                List.of(bytes("{cost:filter:00}:state"), bytes("{cost:filter:00}:a"), bytes("{cost:filter:00}:b"));
        List<byte[]> arguments = List.of(bytes("12345678"));
        for (int round = 0; round < ROUNDS; round++) {
            measure("lookup, by the filter", i -> filter.mightContain(-1L - i));
            measure("lookup, the script alone", i -> client.evalsha(lookDigest, keys, arguments));
            measure("the same without INFO", i -> client.evalsha(unsureDigest, keys, arguments));
            measure("a GETRANGE of 64 bytes", i -> client.getrange(keys.get(2), 64L * i, 64L * i + 63));
        }
    }

    private static byte[] source() throws IOException {
        try (InputStream call = RedisStore.class.getResourceAsStream("call.lua");
                InputStream look = RedisKeyFilter.class.getResourceAsStream("look.lua")) {
            return new SequenceInputStream(call, look).readAllBytes();
        }
    }

    /** Measures the Bloom commands of Redis 8, or of the Bloom module. */
    private void bloomCommands() {
        try {
            client.executeCommand(new CommandArguments(Bloom.RESERVE)
                    .key("bloom")
                    .add(Double.toString(RATE))
                    .add(Long.toString(rows)));
        } catch (JedisDataException unknown) {
            System.out.println("this server has no Bloom commands: " + unknown.getMessage());
            return;
        }
        for (int round = 0; round < ROUNDS; round++) {
            measure("BF.ADD", i -> client.executeCommand(bloom(Bloom.ADD, i)));
            measure("BF.EXISTS", i -> client.executeCommand(bloom(Bloom.EXISTS, -1 - i)));
        }
    }

    private static CommandArguments bloom(Bloom command, long row) {
        return new CommandArguments(command).key("bloom").add(Long.toString(row));
    }

    private enum Bloom implements ProtocolCommand {
        RESERVE,
        ADD,
        EXISTS;

        @Override
        public byte[] getRaw() {
            return bytes("BF." + name());
        }
    }

    private interface Call {
        void make(int number);
    }

    private void measure(String what, Call call) {
        Latencies latencies = new Latencies();
        RedisCpu before = RedisCpu.parse(client.info("cpu"));
        for (int i = 0; i < LOOKS; i++) {
            long began = System.nanoTime();
            call.make(i);
            latencies.record(System.nanoTime() - began);
        }
        System.out.printf(
                "%-28s  p50 %6.1f us  p99 %7.1f us  Redis CPU %5.2f us%n",
                what,
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
