package io.stampedeguard.metrics;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Constants as the values of a tag, in their order. */
final class TagValues {
    private TagValues() {}

    static List<String> of(Enum<?>[] constants) {
        return Stream.of(constants).map(TagValues::of).toList();
    }

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
