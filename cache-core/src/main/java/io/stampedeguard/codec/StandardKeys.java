package io.stampedeguard.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import java.util.UUID;

/** The types of keys whose {@code toString} never changes and is another for each key. */
final class StandardKeys {
    /** Exactly these, no subclasses: a number of somebody else's may change, or have no text of its own. */
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
