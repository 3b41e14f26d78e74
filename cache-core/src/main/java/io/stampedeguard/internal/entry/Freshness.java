package io.stampedeguard.internal.entry;

/** What an entry's age makes of it. */
public enum Freshness {
    /** Younger than its soft TTL: served. */
    FRESH,
    /** Between soft and hard TTL: served, while somebody reloads. */
    STALE,
    /** Older than its hard TTL: never served. */
    EXPIRED
}
