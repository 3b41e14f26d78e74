package io.stampedeguard.simulation;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.policy.CachePolicy;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.commons.rng.UniformRandomProvider;

/** One process: a cache with its own clock, threads, and connection, and its callers. For the thread of the loop and its strands. */
final class SimulatedProcess implements CacheListener {
    private final SimulatedTime time;
    private final SimulatedOrigin origin;
    private final Reads reads;
    private final StampedeGuardedCache<String, String> cache;

    /** The threads of callers that have waited for another caller's load during their present read. */
    private final Set<Thread> waited = new HashSet<>();

    SimulatedProcess(
            SimulatedTime time, SimulatedStore store, SimulatedOrigin origin, CachePolicy policy, Reads reads) {
        this.time = time;
        this.origin = origin;
        this.reads = reads;
        this.cache = StampedeGuardedCache.<String, String>builder("fleet")
                .store(store)
                .codec(StringCodec.of())
                .policy(policy)
                .timeSource(time)
                .asyncExecutor(time::start)
                .listener(this)
                .build();
    }

    /** Reads a key as soon as possible, by a caller of its own. */
    void read(String key) {
        time.start(() -> readNow(key));
    }

    /** Reads one key after another, at random instants, until a time. */
    void readUntil(long endNanos, UniformRandomProvider random, double nanosBetween, Supplier<String> keys) {
        long pause = (long) (-Math.log(1 - random.nextDouble()) * nanosBetween);
        if (time.monotonicNanos() + pause < endNanos) {
            time.schedule(pause, () -> {
                read(keys.get());
                readUntil(endNanos, random, nanosBetween, keys);
            });
        }
    }

    private void readNow(String key) {
        long began = time.monotonicNanos();
        try {
            cache.get(key, name -> origin.load(name, time));
            long now = time.monotonicNanos();
            reads.latencies().record(now - began);
            if (waited.remove(Thread.currentThread())) {
                origin.recordLag(key, now, reads.lags());
            }
        } catch (CacheException e) {
            reads.failed();
        }
    }

    @Override
    public void onEvent(String name, CacheEvent event) {
        if (event.type() == EventType.WOKEN) {
            waited.add(Thread.currentThread());
        }
    }

    void close() {
        time.start(cache::close);
    }
}
