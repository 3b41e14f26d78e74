package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BloomShape;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to a rebuild while it reads its keys: tells each second how far it has come, and lets what it has begun in Redis live
 * on, at the latest each third of its life time. On a thread of its own, as the next key may be long in coming. While Redis
 * does not answer it tries again; if that is too long, what was begun ends by itself, and is refused in the end.
 * <em>Thread-safe.</em>
 */
final class FilterHeartbeat implements AutoCloseable {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.KEY_FILTER);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final FilterParts parts;
    private final byte[] id;
    private final Duration ttl;
    private final LongSupplier keys;
    private long renewedNanos;
    private volatile @Nullable StoreException failure;

    /**
     * Creates one that does not beat yet.
     *
     * @param keys tells how many keys were read
     */
    FilterHeartbeat(FilterParts parts, byte[] id, Duration ttl, LongSupplier keys) {
        this.parts = parts;
        this.id = id;
        this.ttl = ttl;
        this.keys = keys;
        this.renewedNanos = parts.time().monotonicNanos();
    }

    FilterHeartbeat start() {
        parts.threads().execute(this::beat);
        return this;
    }

    /**
     * Checks whether the heartbeat still works.
     *
     * @throws StoreException if it has failed, and continuing is of no use
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
            while (!parts.time().await(ended, pauseNanos)) {
                parts.reports().rebuilding(keys.getAsLong());
                if (parts.time().monotonicNanos() - renewedNanos >= ttl.toNanos() / 3 - pauseNanos) {
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
            calls.put(i, parts.calls().renew(i, id, ttl));
        }
        try {
            Map<Integer, Long> kept = parts.sendAll("renew the rebuild of", calls, answer -> (Long) answer, Needed.ALL);
            renewedNanos = parts.time().monotonicNanos();
            kept.values().stream().filter(FilterRefusal::isOne).findAny().ifPresent(this::refused);
        } catch (StoreException unanswered) {
            LOG.debug("The rebuild of filter '{}' could not be renewed", parts.name(), unanswered);
        }
    }

    private void refused(long answer) {
        failure = FilterRefusal.of(answer, parts.name());
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
