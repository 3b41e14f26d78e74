package io.stampedeguard.redis.internal.invalidation;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls that are made one after another, in the order in which they were put in, whoever comes to make them: who finds
 * another at it leaves them to that one. No lock is held meanwhile. <em>Thread-safe.</em>
 */
final class SerialExecutor {
    private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean calling = new AtomicBoolean();

    /** Puts a call in, which must not throw; to be made by {@link #makeAll}. */
    void add(Runnable call) {
        calls.add(call);
    }

    void makeAll() {
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
