package io.stampedeguard.benchmarks.crew;

import java.time.Duration;

/**
 * The behavior of the origin for a read: how long a load takes, and whether it then fails. The value changes at a time counted
 * from the release; a load that began earlier returns the old one. If {@code announced}, the parent is notified immediately when
 * a load begins. <em>Immutable.</em>
 */
public record Row(Duration takes, boolean fails, Duration changes, boolean announced) {
    private static final Duration NEVER = Duration.ofDays(1);

    /** Returns an origin that works and never changes. */
    public static Row taking(Duration takes) {
        return new Row(takes, false, NEVER, false);
    }

    /** Returns the same origin, whose loads fail after their duration. */
    public Row failing() {
        return new Row(takes, true, changes, announced);
    }

    /** Returns the same origin, whose value changes. */
    public Row changing(Duration afterRelease) {
        return new Row(takes, fails, afterRelease, announced);
    }

    /** Returns the same origin, which notifies the parent when a load begins. */
    public Row announcing() {
        return new Row(takes, fails, changes, true);
    }
}
