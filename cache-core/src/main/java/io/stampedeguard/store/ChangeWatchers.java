package io.stampedeguard.store;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Listeners for changes of an {@link InMemoryStore}, notified on the changing thread: none is missed. <em>Thread-safe.</em> */
final class ChangeWatchers {
    private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConcurrentHashMap<String, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final TimeSource time;

    ChangeWatchers(TimeSource time) {
        this.time = time;
    }

    Watch watch(String cache, Listener listener) {
        listeners.compute(cache, (name, present) -> {
            List<Listener> all = present == null ? new CopyOnWriteArrayList<>() : present;
            all.add(listener);
            return all;
        });
        listener.listening();
        beatIfIdle();
        return () -> listeners.computeIfPresent(cache, (name, all) -> {
            all.remove(listener);
            return all.isEmpty() ? null : all;
        });
    }

    void report(String key) {
        String cache = key.substring(0, Math.max(0, key.indexOf(':')));
        listeners.getOrDefault(cache, List.of()).forEach(listener -> listener.changed(key));
    }

    /** Interrupts all watches, and begins them again. */
    void restart() {
        listeners.values().forEach(all -> all.forEach(Listener::disconnected));
        listeners.values().forEach(all -> all.forEach(Listener::listening));
    }

    private void beatIfIdle() {
        if (!listeners.isEmpty() && beating.compareAndSet(false, true)) {
            time.schedule(BEAT_NANOS, this::beat);
        }
    }

    private void beat() {
        listeners.values().forEach(all -> all.forEach(listener -> listener.completeUpTo(() -> 0)));
        beating.set(false);
        beatIfIdle();
    }
}
