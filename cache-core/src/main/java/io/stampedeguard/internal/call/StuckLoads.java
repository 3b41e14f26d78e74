package io.stampedeguard.internal.call;

import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.thread.Errands;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the loaders that ignore their interrupt. So many of them as loads may run at once cost the cache no more than
 * their threads: their permits are given to others. Those beyond keep their permits until they return, so that threads
 * never pile up. <em>Thread-safe.</em>
 */
public final class StuckLoads {
    private final AtomicInteger running = new AtomicInteger();
    private final int cap;
    private final CacheEvents events;
    private final Errands errands;

    public StuckLoads(CacheContext context, Errands errands) {
        this.cap = context.policy().maxConcurrentLoads();
        this.events = context.events();
        this.errands = errands;
    }

    /** Counts one more; returns whether its permit may be given to others. */
    boolean begin() {
        boolean underCap = running.incrementAndGet() <= cap;
        tell();
        return underCap;
    }

    void end() {
        running.decrementAndGet();
        tell();
    }

    public int running() {
        return running.get();
    }

    /** Not on the thread of a timer: listeners are user code. */
    private void tell() {
        errands.run(() -> events.stuckLoads(running.get()));
    }
}
