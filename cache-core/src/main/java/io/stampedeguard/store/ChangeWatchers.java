package io.stampedeguard.store;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Listeners for changes of an {@link InMemoryStore}, notified on the changing thread: none is missed. <em>Thread-safe.</em> */
final class ChangeWatchers {
    private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicBoolean beating = new AtomicBoolean();
    private final Watchers<Listener> watchers;
    private final TimeSource time;

    ChangeWatchers(TimeSource time) {
        this.watchers = new Watchers<>("invalidations", time);
        this.time = time;
    }

    Watch watch(String cache, Listener listener) {
        Watch watch = watchers.watch(cache, listener, Listener::listening);
        beatIfIdle();
        return watch;
    }

    void report(String key) {
        String cache = key.substring(0, Math.max(0, key.indexOf(':')));
        watchers.report(cache, listener -> listener.changed(key));
    }

    /** Interrupts all watches, and begins them again. */
    void restart() {
        watchers.report(Listener::disconnected);
        watchers.report(Listener::listening);
    }

    private void beatIfIdle() {
        if (!watchers.isEmpty() && beating.compareAndSet(false, true)) {
            time.schedule(BEAT_NANOS, this::beat);
        }
    }

    private void beat() {
        try {
            watchers.report(listener -> listener.completeUpTo(() -> 0));
        } finally {
            beating.set(false);
            beatIfIdle();
        }
    }
}
