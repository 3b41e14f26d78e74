package io.stampedeguard.benchmarks.traffic;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The requests of the callers of one process, for some seconds from the release on. Each caller is a platform thread that requests
 * one of the keys KEY-0, KEY-1, and so on, drawn by Zipf's law, and pauses for {@code think} after each answer. The origin has all
 * keys; a load takes {@code takes}, on one of the process' {@code connections} to the origin; ten times that if it begins between two
 * seconds, {@code slowFrom} and {@code slowUntil}. <em>Immutable.</em>
 */
public record Traffic(
        String key,
        int keys,
        int callers,
        Duration think,
        Duration takes,
        int connections,
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
            int connections,
            int seconds,
            long seed) {
        this(key, keys, callers, think, takes, connections, seconds, seed, 0, 0);
    }

    /** Returns the same traffic on an origin that is ten times slower from one second to another. */
    public Traffic slow(int from, int until) {
        return new Traffic(key, keys, callers, think, takes, connections, seconds, seed, from, until);
    }

    /** Returns how long a load takes that begins at a time since the release. */
    Duration takesAt(long sinceMicros) {
        long second = TimeUnit.MICROSECONDS.toSeconds(sinceMicros);
        return slowFrom <= second && second < slowUntil ? takes.multipliedBy(TIMES_SLOWER) : takes;
    }

    public Message in(Message message) {
        return message.with("key", key)
                .with("keys", keys)
                .with("callers", callers)
                .with("think", think)
                .with("takes", takes)
                .with("originConnections", connections)
                .with("seconds", seconds)
                .with("seed", seed)
                .with("slowFrom", slowFrom)
                .with("slowUntil", slowUntil);
    }

    public static Traffic of(Message message) {
        return new Traffic(
                message.text("key"),
                (int) message.number("keys"),
                (int) message.number("callers"),
                Duration.parse(message.text("think")),
                Duration.parse(message.text("takes")),
                (int) message.number("originConnections"),
                (int) message.number("seconds"),
                message.number("seed"),
                (int) message.number("slowFrom"),
                (int) message.number("slowUntil"));
    }
}
