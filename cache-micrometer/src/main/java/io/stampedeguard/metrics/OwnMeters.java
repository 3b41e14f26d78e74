package io.stampedeguard.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The names and tags of the meters that caches have in a registry, as requested and as changed by the registry's filters. All
 * other meters belong to somebody else, such as a copy of this library in another class loader. Kept as long as the registry,
 * so that meters of a cache that was never closed are still recognized. <em>Thread-safe.</em>
 */
final class OwnMeters {
    /** Weak: names and tags do not refer to the registry. */
    private static final Map<MeterRegistry, OwnMeters> IN = new WeakHashMap<>();

    private static final ReentrantLock LOCK = new ReentrantLock();

    private final Set<Meter.Id> ids = ConcurrentHashMap.newKeySet();

    private volatile boolean histograms;

    private OwnMeters() {}

    static OwnMeters in(MeterRegistry registry) {
        LOCK.lock();
        try {
            return IN.computeIfAbsent(registry, unseen -> new OwnMeters());
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Makes all timers that are registered from now on publish histograms. This holds for the whole registry, since a
     * Prometheus registry cannot be scraped if some timers of one name have a histogram and others do not.
     *
     * @throws IllegalStateException if there are meters without histograms
     */
    void publishHistograms() {
        if (!histograms && !ids.isEmpty()) {
            throw new IllegalStateException("caches of this registry already publish meters without histograms: "
                    + "build the listener with histograms(true) before the first cache that uses this registry");
        }
        histograms = true;
    }

    boolean publishesHistograms() {
        return histograms;
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
