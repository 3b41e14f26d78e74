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
 * The meters of all caches that are told to one registry, whichever listener they are told by: a registry has a meter but
 * once, so caches of one name share theirs.
 *
 * <ol>
 *   <li>the first cache of a name to be opened, or to be heard of, has the meters made;
 *   <li>the next ones of that name are counted and read with it;
 *   <li>when the last that was opened is closed the meters leave the registry, and what is heard later of that name is dropped: a
 *       straggler must not bring them back.
 * </ol>
 *
 * <p><em>Thread-safe.</em> Events take no lock. Opening and closing do, and hold it while meters are made or removed: the
 * registry's filters run then, which are no part of a cache.
 */
final class RegistryMeters {
    /** Weak both ways: a registry without listeners goes, and so do the listeners' meters without the listeners. */
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

    /** The meters for an event of a cache. */
    CacheMeters of(String cache) {
        CacheMeters meters = byName.get(cache);
        return meters != null ? meters : madeAtFirstSight(cache);
    }

    private CacheMeters madeAtFirstSight(String cache) {
        changing.lock();
        try {
            return byName.computeIfAbsent(cache, this::made);
        } catch (RuntimeException e) {
            byName.put(cache, dropped); // once: else each near hit would try again, under the lock
            throw e;
        } finally {
            changing.unlock();
        }
    }

    void open(String cache, CacheGauges gauges) {
        changing.lock();
        try {
            byName.compute(cache, (name, known) -> known == null || known == dropped ? made(name) : known)
                    .open
                    .add(gauges);
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
            if (of != null) {
                of.open.remove(gauges);
            }
            if (of == null || of.open.isEmpty()) {
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
