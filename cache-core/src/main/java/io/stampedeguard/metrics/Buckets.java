package io.stampedeguard.metrics;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import java.time.Duration;

/** The bounds of the buckets of each histogram: few, as each is a series for each cache and outcome. */
final class Buckets {
    /** Loads are queries: from an index that is in memory to the default {@code loadTimeout}, where they are cut off. */
    static final Duration[] LOADS = {
        ofMillis(1),
        ofMillis(5),
        ofMillis(10),
        ofMillis(25),
        ofMillis(50),
        ofMillis(100),
        ofMillis(250),
        ofMillis(500),
        ofSeconds(1),
        ofMillis(2_500),
        ofSeconds(5),
        ofSeconds(10),
        ofSeconds(30)
    };

    /** Who waits for a load waits about as long as one takes: the same bounds, so that the two compare. */
    static final Duration[] WAITS = LOADS.clone();

    /** A push takes a millisecond, a poll up to 250 ms; whatever is beyond a second was not woken, but found out. */
    static final Duration[] WAKE_UP_LAG = {
        ofMillis(1),
        ofMillis(2),
        ofMillis(5),
        ofMillis(10),
        ofMillis(25),
        ofMillis(50),
        ofMillis(100),
        ofMillis(250),
        ofMillis(500),
        ofSeconds(1)
    };

    /** Soft TTLs are seconds to hours, and stale values are a little older than those; past a day nobody asks how much. */
    static final Duration[] STALE_AGE = {
        ofSeconds(1),
        ofSeconds(10),
        ofSeconds(30),
        ofMinutes(1),
        ofMinutes(5),
        ofMinutes(10),
        ofMinutes(30),
        ofHours(1),
        ofHours(6),
        ofDays(1)
    };

    /** A round trip on one machine takes a fraction of a millisecond, one that times out two seconds by default. */
    static final Duration[] STORE_CALLS = {
        ofNanos(250_000),
        ofNanos(500_000),
        ofMillis(1),
        ofNanos(2_500_000),
        ofMillis(5),
        ofMillis(10),
        ofMillis(25),
        ofMillis(50),
        ofMillis(100),
        ofMillis(250),
        ofSeconds(1),
        ofSeconds(2)
    };

    private Buckets() {}
}
