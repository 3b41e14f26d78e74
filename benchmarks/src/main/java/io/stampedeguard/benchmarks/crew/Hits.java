package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * What some threads of one process do in a round: they read keys that are in the cache, one after the other or some at once, as
 * fast as they can. <em>Immutable.</em>
 *
 * @param key what the keys begin with
 * @param keys how many there are
 * @param threads how many read
 * @param kind of which kind they are
 * @param atOnce how many keys a thread asks for at once
 * @param length for how long they read
 */
public record Hits(String key, int keys, int threads, ThreadKind kind, int atOnce, Duration length) {
    Message in(Message message) {
        return message.with("key", key)
                .with("keys", keys)
                .with("threads", threads)
                .with("kind", kind)
                .with("atOnce", atOnce)
                .with("length", length);
    }

    static Hits of(Message message) {
        return new Hits(
                message.text("key"),
                (int) message.number("keys"),
                (int) message.number("threads"),
                ThreadKind.valueOf(message.text("kind")),
                (int) message.number("atOnce"),
                Duration.parse(message.text("length")));
    }
}
