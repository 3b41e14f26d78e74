package io.stampedeguard.spring.internal.key;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/** Reads the arguments of which Spring has made a key: it shows them by {@code toString} only, which is the same for different keys. */
final class SimpleKeys {
    private static final Field PARAMETERS = parameters();

    private SimpleKeys() {}

    private static Field parameters() {
        Field field = ReflectionUtils.findField(SimpleKey.class, null, Object[].class);
        Assert.state(field != null, "this version of Spring has another SimpleKey than 6.2 and 7.0");
        field.setAccessible(true);
        return field;
    }

    /** Returns the arguments; not to be modified. */
    static @Nullable Object[] parametersOf(SimpleKey key) {
        try {
            return (Object[]) PARAMETERS.get(key);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // it was made accessible
        }
    }
}
