package io.stampedeguard.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.stampedeguard.event.CacheGauges;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all caches in one registry, for all its listeners: it has a meter only once, so caches of one name share theirs.
 * <ol>
 *   <li>The first opening or event of a cache name creates the meters.
 *   <li>Events of further caches of that name are counted with its own; gauges show the cache that was opened last.
 *   <li>When the cache that the gauges show is closed, the meters are removed from the registry. Later events of that name are
 *       dropped, because they must not create the meters again.
 * </ol>
 *
 * <p><em>Thread-safe.</em> Events take no lock. Opening and closing do, and hold it while meters are created or removed: filters
 * of the registry, which are user callbacks, run then.
 */
final class RegistryMeters {
    /** Weak keys and values: neither does this map keep a registry alive, nor the listeners' meters without the listeners. */
    private static final Map<MeterRegistry, WeakReference<RegistryMeters>> SHARED = new WeakHashMap<>();

    private static final ReentrantLock SHARING = new ReentrantLock();

    private final Map<String, CacheMeters> byName = new ConcurrentHashMap<>();
    private final ReentrantLock changing = new ReentrantLock();
    private final MeterRegistry registry;
    private final CacheMeters dropped = new CacheMeters(new CompositeMeterRegistry(), "closed");

    private RegistryMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    static RegistryMeters of(MeterRegistry registry) {
        SHARING.lock();
        try {
            WeakReference<RegistryMeters> known = SHARED.get(registry);
            RegistryMeters meters = known == null ? null : known.get();
            if (meters == null) {
                meters = new RegistryMeters(registry);
                SHARED.put(registry, new WeakReference<>(meters));
            }
            return meters;
        } finally {
            SHARING.unlock();
        }
    }

    MeterRegistry registry() {
        return registry;
    }

    /** Makes timers publish histograms, see {@link OwnMeters#publishHistograms()}. */
    void publishHistograms() {
        changing.lock();
        try {
            OwnMeters.in(registry).publishHistograms();
        } finally {
            changing.unlock();
        }
    }

    /** Returns the meters for an event of a cache. */
    CacheMeters of(String cache) {
        CacheMeters meters = byName.get(cache);
        return meters != null ? meters : madeAtFirstSight(cache);
    }

    private CacheMeters madeAtFirstSight(String cache) {
        changing.lock();
        try {
            return byName.computeIfAbsent(cache, this::made);
        } catch (RuntimeException | Error e) {
            byName.put(cache, dropped); // once: otherwise each near hit would try again, under the lock
            throw e;
        } finally {
            changing.unlock();
        }
    }

    void open(String cache, CacheGauges gauges) {
        changing.lock();
        try {
            byName.compute(cache, (name, known) -> known == null || known == dropped ? made(name) : known).gauges =
                    gauges;
        } finally {
            changing.unlock();
        }
    }

    private CacheMeters made(String cache) {
        return new CacheMeters(registry, cache);
    }

    void close(String cache, CacheGauges gauges) {
        changing.lock();
        try {
            CacheMeters of = byName.get(cache);
            CacheGauges shown = of == null ? null : of.gauges;
            if (shown == null || shown.equals(gauges)) {
                remove(byName.put(cache, dropped));
            }
        } finally {
            changing.unlock();
        }
    }

    private static void remove(@Nullable CacheMeters last) {
        if (last != null) {
            last.remove();
        }
    }
}
