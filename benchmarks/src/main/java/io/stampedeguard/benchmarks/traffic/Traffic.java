package io.stampedeguard.benchmarks.traffic;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The requests of the callers of one process, for some seconds from the release on. Each caller is a platform thread that requests
 * one of the keys KEY-0, KEY-1, and so on, drawn by Zipf's law, and pauses for {@code think} after each answer. The origin has all
 * keys; a load takes {@code takes}, on one of the process' {@code originConnections}; ten times that if it begins between two
 * seconds, {@code slowFrom} and {@code slowUntil}. <em>Immutable.</em>
 */
public record Traffic(
        String key,
        int keys,
        int callers,
        Duration think,
        Duration takes,
        int originConnections,
        int seconds,
        long seed,
        int slowFrom,
        int slowUntil) {
    private static final int TIMES_SLOWER = 10;

    /** Creates traffic on an origin that is never slow. */
    public Traffic(
            String key,
            int keys,
            int callers,
            Duration think,
            Duration takes,
            int originConnections,
            int seconds,
            long seed) {
        this(key, keys, callers, think, takes, originConnections, seconds, seed, 0, 0);
    }

    /** Returns the same traffic on an origin that is ten times slower from one second to another. */
    public Traffic slow(int from, int until) {
        return new Traffic(key, keys, callers, think, takes, originConnections, seconds, seed, from, until);
    }

    /** Returns how long a load takes that begins at a time since the release. */
    Duration takesAt(long sinceMicros) {
        long second = TimeUnit.MICROSECONDS.toSeconds(sinceMicros);
        return slowFrom <= second && second < slowUntil ? takes.multipliedBy(TIMES_SLOWER) : takes;
    }
}
