package io.stampedeguard.metrics;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** One value for each constant of an enum, found by its ordinal. <em>Immutable</em>, except for the values. */
final class PerConstant<E extends Enum<E>, T> {
    private final List<T> all;

    PerConstant(E[] constants, Function<E, T> made) {
        all = Stream.of(constants).map(made).toList();
    }

    @SuppressWarnings("EnumOrdinal") // on the path of a near hit; nothing is stored beyond the life of the enum
    T of(E constant) {
        return all.get(constant.ordinal());
    }
}
