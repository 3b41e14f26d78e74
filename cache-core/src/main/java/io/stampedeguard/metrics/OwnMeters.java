package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The names and tags of the meters that caches have in a registry, as they asked for them and as the registry's filters made
 * them: what is there and is none of these is somebody else's. Known for as long as the registry is, so that what a cache has
 * left behind that was never closed is not taken for another's. <em>Thread-safe.</em>
 */
final class OwnMeters {
    /** Weak: names and tags do not refer to the registry. */
    private static final Map<MeterRegistry, OwnMeters> IN = new WeakHashMap<>();

    private static final ReentrantLock LOCK = new ReentrantLock();

    private final Set<Meter.Id> ids = ConcurrentHashMap.newKeySet();

    private OwnMeters() {}

    static OwnMeters in(MeterRegistry registry) {
        LOCK.lock();
        try {
            return IN.computeIfAbsent(registry, unseen -> new OwnMeters());
        } finally {
            LOCK.unlock();
        }
    }

    void add(Meter.Id asked, Meter made) {
        ids.add(asked);
        ids.add(made.getId());
    }

    void remove(Meter.Id asked, Meter made) {
        ids.remove(asked);
        ids.remove(made.getId());
    }

    boolean contains(Meter.Id id) {
        return ids.contains(id);
    }
}
