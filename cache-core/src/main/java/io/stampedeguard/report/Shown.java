package io.stampedeguard.report;

import java.time.Duration;
import java.util.Locale;

/** Constants and durations as text for people. */
final class Shown {
    private Shown() {}

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String length(Duration length) {
        if (length.toSeconds() == 0) {
            return length.toMillis() + " ms";
        }
        if (length.toMinutes() == 0) {
            return String.format(Locale.ROOT, "%.1f s", Math.floor(length.toMillis() / 100.0) / 10);
        }
        if (length.toHours() == 0) {
            return length.toMinutes() + " min " + length.toSecondsPart() + " s";
        }
        return length.toHours() + " h " + length.toMinutesPart() + " min";
    }
}
