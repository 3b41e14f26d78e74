package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeat of a rebuild while it reads its keys: reports its progress each second, and renews the new generation in Redis
 * at least each third of its TTL. It runs on its own thread, because the next key may take long to arrive. While Redis does not
 * answer, it retries. If that takes too long, the new generation expires and the rebuild is refused. <em>Thread-safe.</em>
 */
final class FilterHeartbeat implements AutoCloseable {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.KEY_FILTER);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final FilterCommands commands;
    private final FilterReports reports;
    private final TimeSource time;
    private final byte[] id;
    private final Duration ttl;
    private final LongSupplier keys;
    private long renewedNanos;
    private volatile @Nullable StoreException failure;

    /**
     * Creates a heartbeat that has not started.
     *
     * @param ttl the TTL of the new generation
     * @param keys returns how many keys were read
     */
    FilterHeartbeat(
            FilterCommands commands,
            FilterReports reports,
            TimeSource time,
            byte[] id,
            Duration ttl,
            LongSupplier keys) {
        this.commands = commands;
        this.reports = reports;
        this.time = time;
        this.id = id;
        this.ttl = ttl;
        this.keys = keys;
        this.renewedNanos = time.monotonicNanos();
    }

    /**
     * Starts the heartbeat.
     *
     * @throws RejectedExecutionException if no thread can be started
     */
    FilterHeartbeat start(BackgroundThreads threads) {
        if (!threads.tryToExecute(this::beat)) {
            throw new RejectedExecutionException("no background thread can be started");
        }
        return this;
    }

    /**
     * Checks whether the rebuild can continue.
     *
     * @throws StoreException if a renewal was refused
     */
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
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            calls.put(i, commands.renew(i, id, ttl));
        }
        try {
            Map<Integer, Long> kept =
                    commands.sendAll("renew the rebuild of", calls, answer -> (Long) answer, Needed.ALL);
            renewedNanos = time.monotonicNanos();
            kept.values().stream().filter(FilterRefusal::isOne).findAny().ifPresent(this::refused);
        } catch (StoreException unanswered) {
            LOG.debug("Could not renew the rebuild of filter '{}'", commands.name(), unanswered);
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
