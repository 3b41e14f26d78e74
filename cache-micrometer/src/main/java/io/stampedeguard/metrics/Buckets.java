package io.stampedeguard.metrics;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import java.time.Duration;

/** The bucket bounds of the histograms. They are few, because each is a time series per cache and outcome. */
final class Buckets {
    /** Loads are queries: from a read of an index in memory to the default {@code loadTimeout}, which cuts them off. */
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

    /** A wait takes about as long as a load: the same bounds make the two comparable. */
    static final Duration[] WAITS = LOADS.clone();

    /** A push takes a millisecond, a poll up to 250 ms; beyond a second, the caller found the result itself. */
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

    /** Soft TTLs are seconds to hours, and stale values are a little older; beyond a day the exact age does not matter. */
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

    /** A round trip takes a fraction of a millisecond on one machine, a timeout two seconds by default. */
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
