package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.StoreException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the copy of this process up to what is in force in Redis, in the background:
 *
 * <ol>
 *   <li>all partitions are asked which generation they have: one round trip;
 *   <li>a partition whose copy is of another one, or not whole, uses that one from now on: what is looked up or added
 *       meanwhile goes into it;
 *   <li>its bits are read in chunks that hold up neither Redis nor other callers: one round trip for a partition. A chunk
 *       is refused if the generation has changed since the question; then all begins again;
 *   <li>if partitions had different generations, as they do while they change over, all begins again a little later, and if
 *       they stay so, later and later.
 * </ol>
 *
 * <p>One at a time; who wants another meanwhile gets it afterwards. One that fails is not repeated by itself: the next look
 * that finds the copy wanting asks for it. <em>Thread-safe.</em>
 */
final class FilterLoad {
    /** As much as Redis copies in about 50 µs. */
    static final int CHUNK_BYTES = 256 << 10;

    private static final int CHUNK_BLOCKS = CHUNK_BYTES / BloomShape.BLOCK_BYTES;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_MIXED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_MIXED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.KEY_FILTER);

    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean loading = new AtomicBoolean();
    private final FilterParts parts;
    private volatile long notBeforeNanos;
    private volatile long mixedNanos = FIRST_MIXED_NANOS; // written by the one that loads
    private volatile boolean closed;

    FilterLoad(FilterParts parts) {
        this.parts = parts;
        this.notBeforeNanos = parts.time().monotonicNanos();
    }

    /** Sees to it that the copy is brought up to date; does not wait for it. */
    void request() {
        wanted.set(true);
        if (!closed && !isResting() && loading.compareAndSet(false, true)) {
            start();
        }
    }

    /** Whoever asked for it has an answer by then, and does not suffer if there is no thread to be had. */
    private void start() {
        try {
            parts.threads().execute(this::loadWhileWanted);
        } catch (RuntimeException | Error noThread) {
            loading.set(false);
            restAfter(noThread);
        }
    }

    void close() {
        closed = true;
    }

    private boolean isResting() {
        return notBeforeNanos - parts.time().monotonicNanos() > 0;
    }

    private void loadWhileWanted() {
        try {
            while (!closed && wanted.getAndSet(false)) {
                load();
            }
        } catch (StoreException failed) {
            notBeforeNanos = parts.time().monotonicNanos() + REST_NANOS;
            LOG.debug("filter '{}' has no whole copy", parts.name(), failed);
        } catch (RuntimeException | Error failed) {
            restAfter(failed);
        } finally {
            loading.set(false);
        }
        if (wanted.get()) {
            request();
        }
    }

    private void restAfter(Throwable failed) {
        notBeforeNanos = parts.time().monotonicNanos() + REST_NANOS;
        LOG.warn("filter '{}' has no whole copy: each look asks Redis", parts.name(), failed);
    }

    private void load() {
        Map<Integer, Script.Call> looks = new LinkedHashMap<>();
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            looks.put(i, parts.calls().look(i));
        }
        int asOf = parts.copy().changes();
        Map<Integer, FilterAnswer> answers = parts.sendAll("look into", looks, FilterAnswer::of, Needed.ANY);
        answers.forEach((partition, answer) -> load(partition, answer, asOf));
        lookAgainIfMixed(answers.values());
    }

    /** Partitions are changing over, so this came in the middle; or they will not, as that broke off. */
    private void lookAgainIfMixed(Collection<FilterAnswer> answers) {
        long generations = answers.stream()
                .filter(FilterAnswer::isInForce)
                .map(answer -> new String(answer.generation(), US_ASCII))
                .distinct()
                .count();
        if (generations > 1) {
            parts.time().schedule(mixedNanos, this::request);
            mixedNanos = Math.min(2 * mixedNanos, LONGEST_MIXED_NANOS);
        } else {
            mixedNanos = FIRST_MIXED_NANOS;
        }
    }

    private void load(int partition, FilterAnswer answer, int asOf) {
        FilterCopy copy = parts.copy();
        if (!answer.isInForce()) {
            parts.reports().notInForce(answer, copy.lost(partition, asOf));
            return;
        }
        copy.inForce(partition);
        if (copy.generation(partition, answer.generation()) != null && copy.isWhole(partition)) {
            return;
        }
        FilterGeneration generation = copy.copyOf(answer.generation(), answer.design());
        copy.use(partition, generation);
        if (!read(partition, generation)) {
            wanted.set(true);
        } else if (copy.whole(partition, generation)) {
            generation.hasGrown();
            parts.reports().inForce();
        }
    }

    /** Reads a partition, and returns whether all of it was read. */
    private boolean read(int partition, FilterGeneration generation) {
        int blocks = generation.design().shape().blocksPerPartition();
        Map<Integer, Script.Call> chunks = new LinkedHashMap<>();
        for (int block = 0; block < blocks; block += CHUNK_BLOCKS) {
            int length = Math.min(CHUNK_BLOCKS, blocks - block) * BloomShape.BLOCK_BYTES;
            chunks.put(block, parts.calls().read(partition, generation.id(), block * BloomShape.BLOCK_BYTES, length));
        }
        Map<Integer, byte[]> read = parts.sendAll("read", chunks, answer -> (byte[]) answer, Needed.ALL);
        read.forEach((block, bytes) -> generation.bloom().merge(partition * blocks + block, bytes));
        return read.values().stream().mapToInt(bytes -> bytes.length).sum() == blocks * BloomShape.BLOCK_BYTES;
    }
}
