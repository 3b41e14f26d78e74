package io.stampedeguard.internal.entry;

/** The freshness of an entry, by its age. */
public enum Freshness {
    /** Younger than its soft TTL: served. */
    FRESH,
    /** Between soft and hard TTL: served, and reloaded in the background. */
    STALE,
    /** Older than its hard TTL: never served. */
    EXPIRED
}
