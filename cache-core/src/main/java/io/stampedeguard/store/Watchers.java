package io.stampedeguard.store;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.Watch;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The listeners for the leases of an {@link InMemoryStore}, notified on the thread that ends the lease. <em>Thread-safe.</em> */
final class Watchers {
    private final ConcurrentHashMap<String, List<Listener>> listeners = new ConcurrentHashMap<>();

    Watch watch(String key, Listener listener) {
        listeners.compute(key, (k, present) -> {
            List<Listener> all = present == null ? new CopyOnWriteArrayList<>() : present;
            all.add(listener);
            return all;
        });
        listener.listening();
        return () -> listeners.computeIfPresent(key, (k, all) -> {
            all.remove(listener);
            return all.isEmpty() ? null : all;
        });
    }

    void report(String key, Notice notice) {
        listeners.getOrDefault(key, List.of()).forEach(listener -> listener.onNotice(notice));
    }
}
