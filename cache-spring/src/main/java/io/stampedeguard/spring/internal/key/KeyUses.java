package io.stampedeguard.spring.internal.key;

import io.stampedeguard.spring.StampedeTag;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * With which types of keys the methods of one cache read and change it. If a method changes keys of a type with which no method has
 * read so far, as after a forgotten {@code key = "#id"}, a warning names both methods, once for the cache. <em>Thread-safe.</em> A read
 * of the type that was read last costs one comparison.
 */
public final class KeyUses {
    private static final Logger LOG = LoggerFactory.getLogger(KeyUses.class);
    private static final Set<Class<?>> INTEGERS =
            Set.of(Byte.class, Short.class, Integer.class, Long.class, BigInteger.class);

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
    private static final Shape STRING = new Shape(String.class, -1);
    private static final Shape NUMBER = new Shape(Number.class, -1);

    private final String cache;
    private final boolean areTyped;
    private final Consumer<String> warnings;
    private final Map<Shape, String> reads = new ConcurrentHashMap<>();
    private final AtomicBoolean isReported = new AtomicBoolean();
    private volatile Shape last = new Shape(Void.class, 0);

    /** Creates the record of a cache; {@code areTyped} if its keys have their types in their texts. */
    public KeyUses(String cache, boolean areTyped) {
        this(cache, areTyped, LOG::warn);
    }

    KeyUses(String cache, boolean areTyped, Consumer<String> warnings) {
        this.cache = cache;
        this.areTyped = areTyped;
        this.warnings = warnings;
    }

    /** What keys that can be equal have in common. */
    private record Shape(Class<?> type, int arguments) {
        static Shape of(Object key, boolean areTyped) {
            int arguments = argumentsOf(key);
            if (key instanceof Enum<?> constant) {
                return new Shape(constant.getDeclaringClass(), arguments);
            }
            if (!areTyped && INTEGERS.contains(key.getClass())) {
                return new Shape(Number.class, arguments);
            }
            for (Class<?> each : List.of(List.class, Set.class, Map.class, Collection.class)) {
                if (each.isInstance(key)) {
                    return new Shape(each, arguments);
                }
            }
            return new Shape(key.getClass(), arguments);
        }

        static int argumentsOf(Object key) {
            return key instanceof SimpleKey simple ? SimpleKeys.parametersOf(simple).length : -1;
        }

        @Override
        public String toString() {
            return type == SimpleKey.class
                    ? arguments + (arguments == 1 ? " argument" : " arguments")
                    : "type " + type.getSimpleName();
        }
    }

    /** Notes that a method reads a key; {@code null} for a read by hand, which is not noted. */
    public void read(Object key, @Nullable String where) {
        if (where == null) {
            return;
        }
        Shape seen = last;
        int arguments = Shape.argumentsOf(key);
        if (seen.type != key.getClass() || seen.arguments != arguments) {
            reads.putIfAbsent(Shape.of(key, areTyped), where);
            last = new Shape(key.getClass(), arguments);
        }
    }

    /** Notes that a method puts or evicts a key, and warns if none reads such keys. */
    public void changed(Object key, @Nullable String where) {
        if (where == null || key instanceof StampedeTag || reads.isEmpty() || isReported.get()) {
            return;
        }
        Shape changed = Shape.of(key, areTyped);
        if (!reads.containsKey(changed)
                && !isReadInAnotherType(key, changed)
                && isReported.compareAndSet(false, true)) {
            String readers = reads.entrySet().stream()
                    .map(each -> each.getValue() + " reads keys of " + each.getKey())
                    .sorted()
                    .collect(Collectors.joining(", "));
            warnings.accept("Cache '" + cache + "': " + where + " changes keys of " + changed + ", but " + readers
                    + ": these never match. Set the key of " + where + ", for example key = \"#id\".");
        }
    }

    /** Returns whether a read of another type may have the same text: a string of digits, and an integer. */
    private boolean isReadInAnotherType(Object key, Shape changed) {
        if (areTyped) {
            return false;
        }
        return changed.type == Number.class
                ? reads.containsKey(STRING)
                : key instanceof String text && INTEGER.matcher(text).matches() && reads.containsKey(NUMBER);
    }
}
