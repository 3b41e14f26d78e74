package io.stampedeguard.demo.measure;

import java.util.Locale;

/** How products are read: by plain cache-aside, or through the guarded cache. */
public enum Mode {
    /** {@code GET}, on a miss the query and {@code SET} with a TTL: what most applications do. */
    PLAIN,
    /** {@code StampedeGuardedCache} on the same Redis. */
    GUARDED;

    /** Tells the name as it is typed and printed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
