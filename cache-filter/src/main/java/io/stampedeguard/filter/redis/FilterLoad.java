package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background load that updates the copy of this process from the filter in Redis:
 *
 * <ol>
 *   <li>all partitions are queried for their generation: one round trip;
 *   <li>a partition with a copy of another generation, or an incomplete copy, uses the new one from now on: results of
 *       concurrent lookups and adds go into it;
 *   <li>its bits are read in chunks that delay neither Redis nor other callers: one round trip per partition. A chunk is
 *       refused if the generation has changed meanwhile; then the load starts again;
 *   <li>if partitions have different generations, as they do during a changeover, the load starts again after a delay. If this
 *       persists, the delay grows.
 * </ol>
 *
 * <p>Loads run one at a time; a request during a load causes another load after it. A failed load is not retried by itself: the
 * next lookup that finds the copy incomplete requests it. <em>Thread-safe.</em>
 */
final class FilterLoad {
    /** The amount that Redis copies in about 50 µs. */
    static final int CHUNK_BYTES = 256 << 10;

    private static final int CHUNK_BLOCKS = CHUNK_BYTES / BloomShape.BLOCK_BYTES;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_MIXED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_MIXED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(RedisKeyFilter.class);

    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean loading = new AtomicBoolean();
    private final FilterCommands commands;
    private final FilterCopy copy;
    private final FilterReports reports;
    private final TimeSource time;
    private final Predicate<Runnable> threads;
    private volatile long notBeforeNanos;
    private volatile long mixedNanos = FIRST_MIXED_NANOS; // written by the loading thread
    private volatile boolean closed;

    FilterLoad(
            FilterCommands commands,
            FilterCopy copy,
            FilterReports reports,
            TimeSource time,
            Predicate<Runnable> threads) {
        this.commands = commands;
        this.copy = copy;
        this.reports = reports;
        this.time = time;
        this.threads = threads;
        this.notBeforeNanos = time.monotonicNanos();
    }

    /** Requests that the copy is updated. Does not wait for it. */
    void request() {
        wanted.set(true);
        if (!closed && !isResting() && loading.compareAndSet(false, true)) {
            start();
        }
    }

    /** The caller has its answer already: a missing thread does not affect it. */
    private void start() {
        if (!threads.test(this::loadWhileWanted)) {
            loading.set(false);
            restAfter(new RejectedExecutionException("no background thread can be started"));
        }
    }

    void close() {
        closed = true;
    }

    private boolean isResting() {
        return notBeforeNanos - time.monotonicNanos() > 0;
    }

    private void loadWhileWanted() {
        try {
            while (!closed && wanted.getAndSet(false)) {
                load();
            }
        } catch (StoreException failed) {
            notBeforeNanos = time.monotonicNanos() + REST_NANOS;
            CallbackLog.debug(LOG, "filter '" + commands.name() + "' has no complete copy in this process", failed);
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
        notBeforeNanos = time.monotonicNanos() + REST_NANOS;
        CallbackLog.warn(
                LOG,
                "filter '" + commands.name() + "' has no complete copy in this process: each lookup asks Redis",
                failed);
    }

    private void load() {
        Map<Integer, Script.Call> looks = new LinkedHashMap<>();
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            looks.put(i, commands.look(i));
        }
        int asOf = copy.changes();
        Map<Integer, FilterAnswer> answers = commands.sendAll("look up keys in", looks, FilterAnswer::of, Needed.ANY);
        answers.forEach((partition, answer) -> load(partition, answer, asOf));
        lookAgainIfMixed(answers.values());
    }

    /** Either partitions are changing over at this moment, or a changeover was interrupted. */
    private void lookAgainIfMixed(Collection<FilterAnswer> answers) {
        long generations = answers.stream()
                .filter(FilterAnswer::isInForce)
                .map(answer -> new String(answer.generation(), US_ASCII))
                .distinct()
                .count();
        if (generations > 1) {
            time.schedule(mixedNanos, this::request);
            mixedNanos = Math.min(2 * mixedNanos, LONGEST_MIXED_NANOS);
        } else {
            mixedNanos = FIRST_MIXED_NANOS;
        }
    }

    private void load(int partition, FilterAnswer answer, int asOf) {
        if (!answer.isInForce()) {
            reports.notInForce(answer, copy.lost(partition, asOf));
            return;
        }
        if (!commands.hash().hasBuilt(answer.generation())) {
            reports.ofAnotherHash(answer.generation(), commands.hash(), copy.lost(partition, asOf));
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
            generation.noteGrowth();
            reports.inForce();
        }
    }

    /** Reads a partition, and returns whether all of it was read. */
    private boolean read(int partition, FilterGeneration generation) {
        int blocks = generation.design().shape().blocksPerPartition();
        Map<Integer, Script.Call> chunks = new LinkedHashMap<>();
        for (int block = 0; block < blocks; block += CHUNK_BLOCKS) {
            int length = Math.min(CHUNK_BLOCKS, blocks - block) * BloomShape.BLOCK_BYTES;
            chunks.put(block, commands.read(partition, generation.id(), block * BloomShape.BLOCK_BYTES, length));
        }
        Map<Integer, byte[]> read = commands.sendAll("read", chunks, answer -> (byte[]) answer, Needed.ALL);
        read.forEach((block, bytes) -> generation.bloom().merge(partition * blocks + block, bytes));
        return read.values().stream().mapToInt(bytes -> bytes.length).sum() == blocks * BloomShape.BLOCK_BYTES;
    }
}
