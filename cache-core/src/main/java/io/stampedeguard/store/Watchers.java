package io.stampedeguard.store;

import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.time.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * The listeners of an {@link InMemoryStore}, each under a name, called on the thread that has news. What one of them throws is
 * logged; the thread and the other listeners go on. <em>Thread-safe.</em>
 */
final class Watchers<L> {
    private final ConcurrentHashMap<String, List<L>> listeners = new ConcurrentHashMap<>();
    private final String purpose;
    private final CallbackLog failures;

    /** Creates an empty set; {@code purpose} is what the listeners are for, for the log. */
    Watchers(String purpose, TimeSource time) {
        this.purpose = purpose;
        this.failures = new CallbackLog(LoggerFactory.getLogger(InMemoryStore.class), time);
    }

    Watch watch(String name, L listener, Consumer<L> begun) {
        listeners.compute(name, (n, present) -> {
            List<L> all = present == null ? new CopyOnWriteArrayList<>() : present;
            all.add(listener);
            return all;
        });
        guarded(listener, begun);
        return () -> listeners.computeIfPresent(name, (n, all) -> {
            all.remove(listener);
            return all.isEmpty() ? null : all;
        });
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    void report(String name, Consumer<L> call) {
        listeners.getOrDefault(name, List.of()).forEach(listener -> guarded(listener, call));
    }

    void report(Consumer<L> call) {
        listeners.values().forEach(all -> all.forEach(listener -> guarded(listener, call)));
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private void guarded(L listener, Consumer<L> call) {
        try {
            call.accept(listener);
        } catch (Throwable thrown) {
            Thrown.rethrowFatal(thrown);
            failures.add("A listener for " + purpose + " threw an exception", thrown);
        }
    }
}
