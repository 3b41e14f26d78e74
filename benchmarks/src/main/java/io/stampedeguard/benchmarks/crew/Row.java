package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * The behavior of the origin for a read. <em>Immutable.</em>
 *
 * @param takes the duration of a load
 * @param fails whether it then fails
 * @param changes when its value changes, counted from the release; a load that began earlier returns the old one
 * @param announced whether the parent is notified immediately when a load begins
 */
public record Row(Duration takes, boolean fails, Duration changes, boolean announced) {
    private static final Duration NEVER = Duration.ofDays(1);

    /**
     * Returns an origin that works and never changes.
     *
     * @param takes how long a load takes
     * @return the row
     */
    public static Row taking(Duration takes) {
        return new Row(takes, false, NEVER, false);
    }

    /**
     * Returns the same origin, whose loads fail after their duration.
     *
     * @return a new row
     */
    public Row failing() {
        return new Row(takes, true, changes, announced);
    }

    /**
     * Returns the same origin, whose value changes.
     *
     * @param afterRelease when
     * @return a new row
     */
    public Row changing(Duration afterRelease) {
        return new Row(takes, fails, afterRelease, announced);
    }

    /**
     * Returns the same origin, which notifies the parent when a load begins.
     *
     * @return a new row
     */
    public Row announcing() {
        return new Row(takes, fails, changes, true);
    }

    Message in(Message message) {
        return message.with("takes", takes)
                .with("fails", fails)
                .with("changes", changes)
                .with("announced", announced);
    }

    static Row of(Message message) {
        return new Row(
                Duration.parse(message.text("takes")),
                Boolean.parseBoolean(message.text("fails")),
                Duration.parse(message.text("changes")),
                Boolean.parseBoolean(message.text("announced")));
    }
}
