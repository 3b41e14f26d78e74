package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.time.TimeSource;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rebuild, which builds a new generation of a filter beside the active one:
 *
 * <ol>
 *   <li>the new generation is begun in all partitions: from then on each add, by any process, goes into both generations;
 *   <li>only then are the keys read, into a filter in this process. A key that was added before the first step existed before
 *       the reading began, and is read; a key that is added later is in the new generation in Redis;
 *   <li>partition by partition, the bits are uploaded to Redis and merged with the added ones, and the partition changes over.
 *       This is one atomic step for each key, since a key is in one partition, and for all processes, since they all query Redis.
 * </ol>
 *
 * <p>Each step is refused if the new generation may lack an add: another rebuild has begun, data was flushed, evicted, or has
 * expired, or the server is not the one on which the rebuild began. A step that reaches Redis twice or late puts nothing into
 * force: a generation begins only with a rank above those before it, and each later step repeats when the server began it. An
 * interrupted rebuild leaves each partition complete, old or new, and its remains expire. For one thread, once.
 */
final class FilterRebuild {
    private final byte[] id;
    private final Map<Integer, byte[]> begun = new HashMap<>(); // when each partition was; unchanged from then on
    private final LongAdder keysRead = new LongAdder();
    private final FilterCommands commands;
    private final FilterCopy copy;
    private final FilterReports reports;
    private final FilterGeneration generation;
    private final Duration ttl;

    /** Creates a rebuild that has not begun; {@code ttl} is that of the new generation without a renewal. */
    FilterRebuild(FilterCommands commands, FilterCopy copy, FilterReports reports, FilterDesign design, Duration ttl) {
        this.commands = commands;
        this.copy = copy;
        this.reports = reports;
        String name = commands.hash().idOf(UUID.randomUUID());
        this.id = name.getBytes(US_ASCII);
        this.generation = new FilterGeneration(name, design);
        this.ttl = ttl;
    }

    /** Runs the rebuild, and its heartbeat on one of the threads; blocks. */
    <K> void run(
            Supplier<? extends Stream<? extends K>> keys,
            KeyHash<? super K> hash,
            TimeSource time,
            Predicate<Runnable> threads) {
        begin();
        try (FilterHeartbeat heartbeat =
                new FilterHeartbeat(commands, reports, time, id, begun, ttl, keysRead::sum).start(threads)) {
            read(keys, hash, heartbeat);
            activate(heartbeat);
        }
        reports.rebuilding(keysRead.sum());
    }

    /** The first partition is begun first: of two rebuilds of one rank, the second ends there, before it has begun elsewhere. */
    private void begin() {
        long rank = rank();
        begun.put(0, begun(commands.send("begin a rebuild of", begin(0, rank))));
        Map<Integer, Script.Call> others = new LinkedHashMap<>();
        for (int i = 1; i < BloomShape.PARTITIONS; i++) {
            others.put(i, begin(i, rank));
        }
        begun.putAll(commands.sendAll("begin a rebuild of", others, this::begun, Needed.ALL));
    }

    /** Returns a rank higher than those of all generations until now. */
    private long rank() {
        Map<Integer, Script.Call> calls = new LinkedHashMap<>();
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            calls.put(i, commands.rank(i));
        }
        Map<Integer, Long> ranks = commands.sendAll(
                "begin a rebuild of", calls, answer -> Long.valueOf(new String((byte[]) answer, US_ASCII)), Needed.ALL);
        return Collections.max(ranks.values());
    }

    private Script.Call begin(int partition, long rank) {
        return commands.begin(partition, id, generation.design(), ttl, rank);
    }

    private byte[] begun(Object reply) {
        FilterAnswer answer = FilterAnswer.of(reply);
        if (answer.isUnreported()) {
            throw FilterRefusal.because(
                    "Redis does not report whether it has lost keys, which requires the permission +info; it answered: "
                            + answer.reason(),
                    commands.name());
        }
        if (FilterRefusal.isOne(answer.status())) {
            throw FilterRefusal.of(answer.status(), commands.name());
        }
        return answer.generation();
    }

    private <K> void read(
            Supplier<? extends Stream<? extends K>> keys, KeyHash<? super K> hash, FilterHeartbeat heartbeat) {
        try (Stream<? extends K> all = keys.get()) {
            all.forEach(key -> {
                heartbeat.check();
                generation.bloom().add(hash.of(key));
                keysRead.increment();
            });
        }
    }

    private void activate(FilterHeartbeat heartbeat) {
        copy.expect(generation);
        try {
            for (int partition = 0; partition < BloomShape.PARTITIONS; partition++) {
                heartbeat.check();
                byte[] bits = bits(partition);
                upload(partition, bits);
                commit(partition, bitsSet(bits));
            }
        } finally {
            copy.expect(null);
        }
    }

    private byte[] bits(int partition) {
        int blocks = generation.design().shape().blocksPerPartition();
        return generation.bloom().bytes(partition * blocks, blocks);
    }

    private static long bitsSet(byte[] bits) {
        LongBuffer words = ByteBuffer.wrap(bits).asLongBuffer();
        long set = 0;
        while (words.hasRemaining()) {
            set += Long.bitCount(words.get());
        }
        return set;
    }

    private void upload(int partition, byte[] bytes) {
        Map<Integer, Script.Call> chunks = new LinkedHashMap<>();
        for (int from = 0; from < bytes.length; from += FilterLoad.CHUNK_BYTES) {
            byte[] chunk = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + FilterLoad.CHUNK_BYTES));
            chunks.put(from, commands.fill(partition, id, begun(partition), ttl, from, chunk));
        }
        commands.sendAll("rebuild", chunks, answer -> (Long) answer, Needed.ALL)
                .values()
                .forEach(this::check);
    }

    private byte[] begun(int partition) {
        return requireNonNull(begun.get(partition));
    }

    private void commit(int partition, long bitsSet) {
        check((Long) commands.send("rebuild", commands.commit(partition, id, begun(partition), bitsSet)));
        copy.use(partition, generation);
        copy.inForce(partition);
        if (copy.whole(partition, generation)) {
            generation.noteGrowth();
            reports.inForce();
        }
    }

    private void check(long answer) {
        if (FilterRefusal.isOne(answer)) {
            throw FilterRefusal.of(answer, commands.name());
        }
    }

    /**
     * The numeric answers of Redis to a rebuild that cannot continue; see {@code begin.lua}, {@code fill.lua}, {@code
     * commit.lua}.
     */
    static final class FilterRefusal {
        private static final long DONE = 1;
        private static final long SUPERSEDED = 0;
        private static final long LOST = -1;

        private FilterRefusal() {}

        static boolean isOne(long answer) {
            return answer != DONE;
        }

        static StoreException of(long answer, String filter) {
            return because(reason(answer), filter);
        }

        static StoreException because(String reason, String filter) {
            return new StoreException("could not rebuild filter " + KeyEncoder.shown(filter) + ": " + reason);
        }

        private static String reason(long answer) {
            if (answer == SUPERSEDED) {
                return "another rebuild has begun since";
            }
            return answer == LOST
                    ? "another rebuild has ended since, or Redis has lost the data of this one: it was flushed, is full, or this"
                            + " process did not renew them in time"
                    : "the server was restarted or replaced meanwhile";
        }
    }

    /**
     * The heartbeat of a rebuild while it reads its keys: reports its progress each second, and renews the new generation at
     * least each third of its TTL. It has its own thread, because the next key may take long to arrive. While Redis does not
     * answer, it retries. If that takes too long, the new generation expires and the rebuild is refused. <em>Thread-safe.</em>
     */
    static final class FilterHeartbeat implements AutoCloseable {
        private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

        private static final Logger LOG = LoggerFactory.getLogger(RedisKeyFilter.class);

        private final CountDownLatch ended = new CountDownLatch(1);
        private final FilterCommands commands;
        private final FilterReports reports;
        private final TimeSource time;
        private final byte[] id;
        private final Map<Integer, byte[]> begun;
        private final Duration ttl;
        private final LongSupplier keys;
        private long renewedNanos;
        private volatile @Nullable StoreException failure;

        /** Creates a heartbeat that has not started. */
        FilterHeartbeat(
                FilterCommands commands,
                FilterReports reports,
                TimeSource time,
                byte[] id,
                Map<Integer, byte[]> begun,
                Duration ttl,
                LongSupplier keys) {
            this.commands = commands;
            this.reports = reports;
            this.time = time;
            this.id = id;
            this.begun = begun;
            this.ttl = ttl;
            this.keys = keys;
            this.renewedNanos = time.monotonicNanos();
        }

        /** Starts the heartbeat; throws a {@link RejectedExecutionException} if no thread can be started. */
        FilterHeartbeat start(Predicate<Runnable> threads) {
            if (!threads.test(this::beat)) {
                throw new RejectedExecutionException("no background thread can be started");
            }
            return this;
        }

        /** Throws a {@link StoreException} if a renewal was refused. */
        void check() {
            StoreException failed = failure;
            if (failed != null) {
                throw failed;
            }
        }

        private void beat() {
            long pauseNanos = Math.min(SECOND_NANOS, ttl.toNanos() / 6);
            try {
                while (!time.await(ended, pauseNanos)) {
                    reports.rebuilding(keys.getAsLong());
                    if (time.monotonicNanos() - renewedNanos >= ttl.toNanos() / 3 - pauseNanos) {
                        renew();
                    }
                }
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }

        private void renew() {
            Map<Integer, Script.Call> calls = new LinkedHashMap<>();
            begun.forEach((partition, when) -> calls.put(partition, commands.renew(partition, id, when, ttl)));
            try {
                Map<Integer, Long> kept =
                        commands.sendAll("renew the rebuild of", calls, answer -> (Long) answer, Needed.ALL);
                renewedNanos = time.monotonicNanos();
                kept.values().stream().filter(FilterRefusal::isOne).findAny().ifPresent(this::refused);
            } catch (StoreException unanswered) {
                CallbackLog.debug(LOG, "Could not renew the rebuild of filter '" + commands.name() + "'", unanswered);
            }
        }

        private void refused(long answer) {
            failure = FilterRefusal.of(answer, commands.name());
        }

        @Override
        public void close() {
            ended.countDown();
        }
    }
}
