package io.stampedeguard.spring.internal.value;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.ZoneId;
import java.util.Currency;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/**
 * Which types have no instance that can be changed: strings, numbers, enums, those of {@code java.time}, and final classes, such as
 * records, all of whose fields are final and of such types. Collections and arrays have.
 */
final class Immutability {
    private static final Set<Class<?>> VALUES = Set.of(
            String.class,
            Boolean.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            URI.class,
            Locale.class,
            Currency.class,
            Pattern.class,
            ZoneId.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            Void.class);

    private static final ClassValue<Boolean> OF_CLASSES = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isImmutable(ResolvableType.forClass(type), new HashSet<>());
        }
    };

    private Immutability() {}

    static boolean isImmutable(Type type) {
        return type instanceof Class<?> plain
                ? OF_CLASSES.get(plain)
                : isImmutable(ResolvableType.forType(type), new HashSet<>());
    }

    private static boolean isImmutable(ResolvableType type, Set<Type> within) {
        Class<?> raw = type.resolve();
        if (raw == null || raw.isArray()) {
            return false;
        }
        if (raw.isPrimitive() || VALUES.contains(raw) || Enum.class.isAssignableFrom(raw)) {
            return true;
        }
        if (raw == Optional.class) {
            return isImmutable(type.getGeneric(0), within);
        }
        boolean isFinal = Modifier.isFinal(raw.getModifiers());
        if (raw.getName().startsWith("java.")) {
            return isFinal && raw.getPackageName().equals("java.time");
        }
        if (!within.add(type.getType())) { // a type that contains itself is not changed by that
            return true;
        }
        if (raw.isSealed() && Modifier.isAbstract(raw.getModifiers())) {
            return Stream.of(raw.getPermittedSubclasses())
                    .allMatch(each -> isImmutable(ResolvableType.forClass(each), within));
        }
        return isFinal && areFieldsImmutable(type, raw, within);
    }

    private static boolean areFieldsImmutable(ResolvableType type, Class<?> raw, Set<Type> within) {
        try {
            for (Class<?> each = raw; each != null; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    int modifiers = field.getModifiers();
                    boolean isImmutable = Modifier.isStatic(modifiers)
                            || (Modifier.isFinal(modifiers)
                                    && isImmutable(ResolvableType.forField(field, type), within));
                    if (!isImmutable) {
                        return false;
                    }
                }
            }
            return true;
        } catch (LinkageError e) { // the class of a field is missing
            return false;
        }
    }
}
