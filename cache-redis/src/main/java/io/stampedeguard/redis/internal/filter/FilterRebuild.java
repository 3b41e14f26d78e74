package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.filter.KeyHash;
import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Builds a new generation of a filter beside the one in force:
 *
 * <ol>
 *   <li>it is begun in all partitions: from then on each add of anybody goes into both generations;
 *   <li>only then the keys are read, into a filter of this process. A key that was announced before the first step was
 *       there before the reading began, and is read; one that is announced later is in the new generation in Redis;
 *   <li>partition by partition, the bits are brought to Redis beside those and joined to them, and the partition changes over.
 *       That is one atomic step for each key, as it is in one partition, and for all processes, as they all ask Redis.
 * </ol>
 *
 * <p>Each step is refused if the new generation may lack an add: another rebuild has begun, something was flushed, evicted
 * or has expired, or the server is not the one on which it was begun. What breaks off leaves each partition whole, old
 * or new, and its rubbish expires. For one thread, once.
 */
final class FilterRebuild {
    private final String name = UUID.randomUUID().toString();
    private final byte[] id = name.getBytes(US_ASCII);
    private final LongAdder keysRead = new LongAdder();
    private final FilterParts parts;
    private final FilterGeneration generation;
    private final Duration ttl;

    /**
     * Creates a rebuild that has not begun.
     *
     * @param ttl how long what it has begun lives without a sign of life
     */
    FilterRebuild(FilterParts parts, FilterDesign design, Duration ttl) {
        this.parts = parts;
        this.generation = new FilterGeneration(name, design);
        this.ttl = ttl;
    }

    /** Does all of it; blocks. */
    <K> void run(Supplier<? extends Stream<? extends K>> keys, KeyHash<? super K> hash) {
        begin();
        try (FilterHeartbeat heartbeat = new FilterHeartbeat(parts, id, ttl, keysRead::sum).start()) {
            read(keys, hash, heartbeat);
            bringIntoForce(heartbeat);
        }
        parts.reports().rebuilding(keysRead.sum());
    }

    private void begin() {
        String rank = rank(parts.send("begin a rebuild of", begin(0, "")));
        Map<Integer, Script.Call> others = new LinkedHashMap<>();
        for (int i = 1; i < BloomShape.PARTITIONS; i++) {
            others.put(i, begin(i, rank));
        }
        parts.sendAll("begin a rebuild of", others, this::rank, Needed.ALL);
    }

    private Script.Call begin(int partition, String rank) {
        return parts.calls().begin(partition, id, generation.design(), ttl, rank);
    }

    private String rank(Object answer) {
        List<?> words = (List<?>) answer;
        long done = (Long) words.get(0);
        if (done < 0) {
            throw FilterRefusal.because(
                    "Redis does not tell whether it loses any keys, which takes the right +info; it says "
                            + new String((byte[]) words.get(1), UTF_8),
                    parts.name());
        }
        if (FilterRefusal.isOne(done)) {
            throw FilterRefusal.of(done, parts.name());
        }
        return new String((byte[]) words.get(1), US_ASCII);
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

    private void bringIntoForce(FilterHeartbeat heartbeat) {
        parts.copy().expect(generation);
        try {
            for (int partition = 0; partition < BloomShape.PARTITIONS; partition++) {
                heartbeat.check();
                byte[] bits = bits(partition);
                upload(partition, bits);
                commit(partition, bitsSet(bits));
            }
        } finally {
            parts.copy().expect(null);
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
            chunks.put(from, parts.calls().fill(partition, id, ttl, from, chunk));
        }
        parts.sendAll("rebuild", chunks, answer -> (Long) answer, Needed.ALL)
                .values()
                .forEach(this::check);
    }

    private void commit(int partition, long bitsSet) {
        check((Long) parts.send("rebuild", parts.calls().commit(partition, id, bitsSet)));
        FilterCopy copy = parts.copy();
        copy.use(partition, generation);
        copy.inForce(partition);
        if (copy.whole(partition, generation)) {
            generation.hasGrown();
            parts.reports().inForce();
        }
    }

    private void check(long answer) {
        if (FilterRefusal.isOne(answer)) {
            throw FilterRefusal.of(answer, parts.name());
        }
    }
}
