package io.stampedeguard.internal.call;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One permit, to be given back once; giving it back again does nothing. <em>Thread-safe.</em> */
public final class Permit {
    private final AtomicReference<@Nullable LoadPermits> from;

    Permit(@Nullable LoadPermits from) {
        this.from = new AtomicReference<>(from);
    }

    public void release() {
        LoadPermits permits = from.getAndSet(null);
        if (permits != null) {
            permits.release();
        }
    }

    /** Moves the permit into another's hands; releasing this one does nothing any more. */
    Permit handOver() {
        Permit other = new Permit(null);
        other.from.set(from.getAndSet(null));
        return other;
    }
}
