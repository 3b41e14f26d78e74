package io.stampedeguard.demo.measure;

import java.util.Locale;

/** The ways to read products: plain cache-aside, or the guarded cache, without and with its optional features. */
public enum Mode {
    /** {@code GET}, on a miss the query and {@code SET} with a TTL, as in most applications. */
    PLAIN,
    /** The same, with as many queries at once in each process as mode guarded permits; the others queue in order of arrival. */
    PLAIN_BOUNDED,
    /** {@code StampedeGuardedCache} on the same Redis: reloads a stale product once, and serves it meanwhile. */
    GUARDED,
    /** The same with early refresh, so that products in use do not become stale, and with a near cache in each process. */
    GUARDED_NEAR,
    /** Like {@code GUARDED}, with key validation and a key filter in Redis, which reject nonexistent keys. */
    GUARDED_FILTER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
