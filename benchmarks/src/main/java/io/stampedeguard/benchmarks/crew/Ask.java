package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * What some callers of one process do in a round: each is a platform thread of its own, and all times count from the
 * release. <em>Immutable.</em>
 *
 * @param key what they ask for
 * @param row what is behind it
 * @param callers how many they are
 * @param after when the first of them begins
 * @param apart how much later than the one before it each of the others begins: zero, all at one instant
 * @param repeatFor how long each goes on asking; zero, each asks once
 * @param pause between an answer and the next time a caller asks
 */
public record Ask(
        String key, Row row, int callers, Duration after, Duration apart, Duration repeatFor, Duration pause) {
    /**
     * Callers who ask once, all at the release.
     *
     * @param callers how many
     * @param key for what
     * @param row what is behind it
     * @return the ask
     */
    public static Ask once(int callers, String key, Row row) {
        return new Ask(key, row, callers, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /**
     * The same, but later than the release.
     *
     * @param later by how much
     * @return a new ask
     */
    public Ask after(Duration later) {
        return new Ask(key, row, callers, later, apart, repeatFor, pause);
    }

    /**
     * The same, but one after the other, whether the one before has its answer or not ("open loop").
     *
     * @param distance how much later each begins than the one before
     * @return a new ask
     */
    public Ask apart(Duration distance) {
        return new Ask(key, row, callers, after, distance, repeatFor, pause);
    }

    /**
     * The same, but each caller asks again and again.
     *
     * @param length for how long
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
