package io.stampedeguard.metrics;

import java.util.Locale;

/** Constants as the values of a tag. */
final class TagValues {
    private TagValues() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
