package io.stampedeguard.redis.internal.connect;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A queue of calls, made one after another in the order in which they were added. A thread that finds another one making calls
 * leaves its own to it. No lock is held meanwhile. <em>Thread-safe.</em>
 */
public final class SerialExecutor {
    private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean calling = new AtomicBoolean();

    /** Adds a call, which must not throw, and is made by {@link #makeAll}. */
    public void add(Runnable call) {
        calls.add(call);
    }

    public void makeAll() {
        while (!calls.isEmpty() && calling.compareAndSet(false, true)) {
            try {
                for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
                    call.run();
                }
            } finally {
                calling.set(false);
            }
        }
    }
}
