package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * The requests of some callers of one process in a round. Each caller is a platform thread of its own, and all times
 * count from the release. <em>Immutable.</em>
 *
 * @param key the requested key
 * @param row the behavior of the origin
 * @param callers the number of callers
 * @param after when the first caller begins
 * @param apart the time between the begins of two callers; zero: all begin at one instant
 * @param repeatFor how long each caller repeats its request; zero: each requests once
 * @param pause the pause between an answer and the caller's next request
 */
public record Ask(
        String key, Row row, int callers, Duration after, Duration apart, Duration repeatFor, Duration pause) {
    /**
     * Creates an ask in which each caller requests once, all at the release.
     *
     * @param callers the number of callers
     * @param key the requested key
     * @param row the behavior of the origin
     * @return the ask
     */
    public static Ask once(int callers, String key, Row row) {
        return new Ask(key, row, callers, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /**
     * Returns the same ask, later than the release.
     *
     * @param later the delay
     * @return a new ask
     */
    public Ask after(Duration later) {
        return new Ask(key, row, callers, later, apart, repeatFor, pause);
    }

    /**
     * Returns the same ask, in which callers begin one after the other, whether the previous one has its answer or not
     * ("open loop").
     *
     * @param distance the time between the begins of two callers
     * @return a new ask
     */
    public Ask apart(Duration distance) {
        return new Ask(key, row, callers, after, distance, repeatFor, pause);
    }

    /**
     * Returns the same ask, in which each caller repeats its request.
     *
     * @param length how long callers repeat it
     * @param between the pause after each answer
     * @return a new ask
     */
    public Ask repeating(Duration length, Duration between) {
        return new Ask(key, row, callers, after, apart, length, between);
    }

    Message in(Message message) {
        return row.in(message)
                .with("key", key)
                .with("callers", callers)
                .with("after", after)
                .with("apart", apart)
                .with("repeatFor", repeatFor)
                .with("pause", pause);
    }

    static Ask of(Message message) {
        return new Ask(
                message.text("key"),
                Row.of(message),
                (int) message.number("callers"),
                Duration.parse(message.text("after")),
                Duration.parse(message.text("apart")),
                Duration.parse(message.text("repeatFor")),
                Duration.parse(message.text("pause")));
    }
}
