package io.stampedeguard.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import java.util.UUID;

/** The key types whose {@code toString} never changes and differs for different keys. */
final class StandardKeys {
    /** Exactly these types, no subclasses: one of {@code Number} may be mutable, or have the same text for different keys. */
    static final Set<Class<?>> TYPES = Set.of(
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Character.class,
            Boolean.class);

    private StandardKeys() {}
}
