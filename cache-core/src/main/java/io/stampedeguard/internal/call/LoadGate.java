package io.stampedeguard.internal.call;

import io.stampedeguard.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Lets no more loads in than may run at once in this process. Who is in a loader already, and asks for another key, is in.
 * <em>Thread-safe.</em>
 */
public final class LoadGate {
    private final LoadPermits permits;
    private final Nesting nesting;

    public LoadGate(int loads, Nesting nesting, TimeSource time) {
        this.permits = new LoadPermits(loads, time);
        this.nesting = nesting;
    }

    /** Waits for a permit, to be released; {@code null} if none was free in time. */
    public @Nullable Permit acquire(long nanos) throws InterruptedException {
        if (nesting.isInLoader()) {
            return new Permit(null);
        }
        Permit permit = new Permit(permits); // made before: one that is taken is given back by somebody
        return permits.acquire(nanos) ? permit : null;
    }

    public int free() {
        return permits.free();
    }

    /** Returns how many wait for a permit. */
    public int waiting() {
        return permits.waiting();
    }

    /** Takes a permit, to be released; {@code null} if none is free. */
    public @Nullable Permit tryAcquire() {
        Permit permit = new Permit(permits);
        return permits.tryAcquire() ? permit : null;
    }
}
