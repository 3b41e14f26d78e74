package io.stampedeguard.testbed.fleet;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The components of a record as texts, by their names. Those of a nested record are among them. */
final class RecordFields {
    private RecordFields() {}

    static Map<String, String> of(Record values) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (RecordComponent component : values.getClass().getRecordComponents()) {
            Object value = value(component, values);
            if (value instanceof Record nested) {
                fields.putAll(of(nested));
            } else {
                fields.put(component.getName(), text(value));
            }
        }
        return fields;
    }

    private static @Nullable Object value(RecordComponent component, Record values) {
        try {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("could not read " + component, e);
        }
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        return value instanceof Enum<?> constant ? constant.name() : value.toString();
    }

    static <R extends Record> R read(Class<R> type, Message message) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(Arrays.stream(components)
                    .map(component -> read(component, message))
                    .toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("could not read " + type.getSimpleName() + " from " + message, e);
        }
    }

    private static @Nullable Object read(RecordComponent component, Message message) {
        Class<?> type = component.getType();
        if (type.isRecord()) {
            return read(type.asSubclass(Record.class), message);
        }
        String text = message.text(component.getName());
        if (type == String.class) {
            return text;
        }
        return text.isEmpty() ? null : parse(type, text);
    }

    private static Object parse(Class<?> type, String text) {
        if (type == int.class || type == Integer.class) {
            return Integer.valueOf(text);
        } else if (type == long.class || type == Long.class) {
            return Long.valueOf(text);
        } else if (type == boolean.class) {
            return Boolean.valueOf(text);
        } else if (type == Duration.class) {
            return Duration.parse(text);
        } else if (type == Path.class) {
            return Path.of(text);
        }
        return Stream.of(type.getEnumConstants())
                .filter(constant -> ((Enum<?>) constant).name().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is no " + type.getSimpleName()));
    }
}
