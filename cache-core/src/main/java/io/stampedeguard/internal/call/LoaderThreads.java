package io.stampedeguard.internal.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The executors that each loader occupies a thread of, for all caches of this process. A loader that requests a key of a cache
 * with the same executor would wait for a second thread, and all threads may be in such loaders. A loader that runs on behalf of
 * another one counts as occupying that one's executors, too: their threads wait for it. <em>Thread-safe.</em>
 */
final class LoaderThreads {
    /** No thread-local: reading one leaves something behind on each thread that ever missed a key. */
    private static final Map<Thread, List<Executor>> OCCUPIED = new ConcurrentHashMap<>();

    private LoaderThreads() {}

    /** Returns the executors that the loader on this thread occupies; none if there is no loader. */
    static List<Executor> occupied() {
        return OCCUPIED.getOrDefault(Thread.currentThread(), List.of());
    }

    /** Returns whether one of them is this very executor. */
    @SuppressWarnings("ReferenceEquality") // an executor that calls another one its equal has threads of its own
    static boolean isAmong(List<Executor> occupied, Executor executor) {
        for (Executor each : occupied) {
            if (each == executor) {
                return true;
            }
        }
        return false;
    }

    static List<Executor> with(List<Executor> occupied, Executor executor) {
        List<Executor> all = new ArrayList<>(occupied);
        all.add(executor);
        return all;
    }

    /** Notes what the loader that begins on this thread occupies; returns what is to be passed to {@link #leave}. */
    static @Nullable List<Executor> enter(List<Executor> occupied) {
        List<Executor> outer = OCCUPIED.get(Thread.currentThread());
        if (!occupied.isEmpty()) {
            OCCUPIED.put(Thread.currentThread(), occupied);
        }
        return outer;
    }

    static void leave(@Nullable List<Executor> outer) {
        if (outer == null) {
            OCCUPIED.remove(Thread.currentThread());
        } else {
            OCCUPIED.put(Thread.currentThread(), outer);
        }
    }
}
