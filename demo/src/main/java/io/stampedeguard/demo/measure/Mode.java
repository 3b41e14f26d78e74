package io.stampedeguard.demo.measure;

import java.util.Locale;

/** How products are read: by plain cache-aside, or through the guarded cache, without and with what it can do besides. */
public enum Mode {
    /** {@code GET}, on a miss the query and {@code SET} with a TTL: what most applications do. */
    PLAIN,
    /** {@code StampedeGuardedCache} on the same Redis: reloads once what is stale, and serves it meanwhile. */
    GUARDED,
    /** The same with early refresh, so that what is in use does not go stale, and with a near cache in each process. */
    GUARDED_NEAR,
    /** As {@code GUARDED}, with a check of keys and a key filter in Redis, so that made-up keys get no further. */
    GUARDED_FILTER;

    /** Returns the name as it is typed and printed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
