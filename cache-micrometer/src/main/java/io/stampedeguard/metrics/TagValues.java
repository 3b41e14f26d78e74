package io.stampedeguard.metrics;

import java.util.Locale;

/** Enum constants as tag values. */
final class TagValues {
    private TagValues() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
