package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * The reads of some threads of one process in a round. The keys are in the cache, and each thread reads them as fast as possible
 * for a while, one by one or several {@code atOnce}; {@code key} is their prefix. <em>Immutable.</em>
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
