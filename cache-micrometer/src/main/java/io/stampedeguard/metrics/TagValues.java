package io.stampedeguard.metrics;

import io.stampedeguard.event.EventType;
import java.util.Locale;

/** Enum constants as tag values. */
final class TagValues {
    private TagValues() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns an outcome of an action: what follows the action in the name of the type. */
    static String of(EventType outcome, String action) {
        return outcome.name().substring(action.length()).toLowerCase(Locale.ROOT);
    }
}
