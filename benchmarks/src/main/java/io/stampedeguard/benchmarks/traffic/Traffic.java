package io.stampedeguard.benchmarks.traffic;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * The requests of the callers of one process, for some seconds from the release on. Each caller is a platform thread that requests
 * one of the keys KEY-0, KEY-1, and so on, drawn by Zipf's law, and pauses for {@code think} after each answer. The origin has all
 * keys; a load takes {@code takes}, on one of the process' {@code connections} to the origin. <em>Immutable.</em>
 */
public record Traffic(
        String key, int keys, int callers, Duration think, Duration takes, int connections, int seconds, long seed) {
    /** Returns the same traffic for another number of seconds. */
    public Traffic lasting(int length) {
        return new Traffic(key, keys, callers, think, takes, connections, length, seed);
    }

    /** Returns the same traffic with other draws of keys. */
    public Traffic seeded(long other) {
        return new Traffic(key, keys, callers, think, takes, connections, seconds, other);
    }

    public Message in(Message message) {
        return message.with("key", key)
                .with("keys", keys)
                .with("callers", callers)
                .with("think", think)
                .with("takes", takes)
                .with("originConnections", connections)
                .with("seconds", seconds)
                .with("seed", seed);
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
                message.number("seed"));
    }
}
