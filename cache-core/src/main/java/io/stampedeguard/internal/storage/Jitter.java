package io.stampedeguard.internal.storage;

import java.time.Duration;

/** Shortens TTLs at random, so that entries stored together do not expire together. Pure. */
final class Jitter {
    private Jitter() {}

    /**
     * Shortens a TTL.
     *
     * @param jitter the largest share to subtract
     * @param draw drawn uniformly from 0 to 1
     * @return the rest, at least 1 ms
     */
    static long shortenedMillis(Duration ttl, double jitter, double draw) {
        long millis = ttl.toMillis();
        return Math.max(1, millis - (long) (millis * jitter * draw));
    }
}
