package io.stampedeguard.spring.internal.value;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.BaseStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * The codec of one declared type in one cache. The first value of each class is read back, or, of a container, the first with
 * elements of a class: if it cannot be read, or has become an object
 * of another class, values of this class are not stored, and a warning names the method. What is merely not equal afterwards is reported
 * by the core. <em>Thread-safe.</em>
 */
final class TypeCodec {
    private static final Logger LOG = LoggerFactory.getLogger(TypeCodec.class);
    private static final Class<?> NOTHING = Void.class;

    private final DeclaredValue type;
    private final ValueCodec<Object> codec;
    private final String formatName;
    private final int version;
    private final Copies copies;
    private final Set<Class<?>> readable = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, NotStorableException> refused = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> reported = new ConcurrentHashMap<>();

    TypeCodec(DeclaredValue type, Format format) {
        this.type = type;
        this.copies = new Copies(type.type());
        ValueCodec<Object> own = type.own();
        if (own != null) {
            codec = own;
            formatName = "what " + own.getClass().getSimpleName() + " has written";
            version = own.identity().version();
        } else {
            codec = format == Format.JSON ? type.json() : new JavaCodec(type.type());
            formatName = format == Format.JSON ? "JSON" : "Java's serialization";
            version = 0;
        }
    }

    int version() {
        return version;
    }

    byte[] encode(Object value) throws Exception {
        Class<?> first = firstClassIn(value);
        NotStorableException known = refused.get(first);
        if (known != null) {
            throw known;
        }
        if (type.own() == null && (value instanceof Iterator || value instanceof BaseStream)) {
            String reason = "they can be read once, by the caller";
            throw refusal(first, reason, new IllegalArgumentException(reason));
        }
        byte[] payload;
        try {
            payload = requireNonNull(codec.encode(value), "the codec has encoded null");
        } catch (Exception | StackOverflowError | LinkageError e) {
            throw notStorable(first, "cannot be written as " + formatName + ": " + reason(e), e);
        }
        if (first != NOTHING && !readable.contains(first)) {
            readBack(value, first, payload);
        }
        return payload;
    }

    Object decode(ByteBuffer payload) throws Exception {
        return codec.decode(payload);
    }

    private void readBack(Object value, Class<?> first, byte[] payload) {
        Set<String> classes = classesIn(value);
        Set<String> classesBack;
        try {
            classesBack = classesIn(decode(ByteBuffer.wrap(payload)));
        } catch (Exception | StackOverflowError | LinkageError e) {
            throw refusal(first, reason(e), e);
        }
        if (!classes.equals(classesBack)) {
            String reason = only(classes, classesBack) + " becomes " + only(classesBack, classes);
            throw refusal(first, reason, new ClassCastException(reason));
        }
        readable.add(first);
    }

    private NotStorableException refusal(Class<?> valueClass, String reason, Throwable cause) {
        NotStorableException refusal =
                notStorable(valueClass, "cannot be read back from " + formatName + ": " + reason, cause);
        refused.put(valueClass, refusal);
        return refusal;
    }

    private NotStorableException notStorable(Class<?> valueClass, String what, Throwable cause) {
        String message = "Values of " + type + " " + what + (what.endsWith(".") ? "" : ".")
                + (type.own() == null ? " Return a record, or define a ValueCodec bean." : "");
        String known = reported.putIfAbsent(valueClass, message);
        if (known == null) {
            LOG.warn("{} They are not stored.", message);
        }
        return NotStorableException.of(message, cause, known == null || known.equals(message));
    }

    private static String reason(Throwable thrown) {
        String message = thrown instanceof JacksonException jackson ? jackson.getOriginalMessage() : thrown.toString();
        return KeyEncoder.printable(String.valueOf(message));
    }

    /** Returns those that are not among others; all if these have them, too. */
    private static String only(Set<String> some, Set<String> others) {
        Set<String> all = new TreeSet<>(some);
        Set<String> only = new TreeSet<>(some);
        only.removeAll(others);
        return all.isEmpty() ? "nothing" : String.join(", ", only.isEmpty() ? all : only);
    }

    /** Returns the class of a value, or that of its first element if it is a container; {@link #NOTHING} if there is none. */
    private static Class<?> firstClassIn(Object value) {
        Object found = value;
        while (found != null) {
            Iterator<?> elements;
            if (found instanceof Collection<?> several) {
                elements = several.iterator();
            } else if (found instanceof Map<?, ?> map) {
                elements = map.values().iterator();
            } else if (found instanceof Optional<?> optional) {
                elements = optional.stream().iterator();
            } else if (found instanceof Object[] several) {
                elements = Arrays.asList(several).iterator();
            } else {
                return found.getClass();
            }
            found = elements.hasNext() ? elements.next() : null;
        }
        return NOTHING;
    }

    /** Returns the names of the classes of a value, or of those in it if it is a container of them, whose own class may differ. */
    private static Set<String> classesIn(Object value) {
        Set<String> found = new HashSet<>();
        addClasses(found, value);
        return found;
    }

    private static void addClasses(Set<String> found, Object value) {
        if (value instanceof Collection<?> several) {
            several.forEach(each -> addClasses(found, each));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                addClasses(found, key);
                addClasses(found, each);
            });
        } else if (value instanceof Optional<?> optional) {
            optional.ifPresent(each -> addClasses(found, each));
        } else if (value instanceof Object[] several) {
            Arrays.stream(several).forEach(each -> addClasses(found, each));
        } else if (value != null) {
            found.add(value.getClass().getTypeName());
        }
    }

    /**
     * Returns a copy of a value, or the value itself if it cannot be changed, unless {@code always}; or if it cannot be written, or read
     * back, which a warning has said: then only callers that waited for the same load share it.
     */
    Object copy(Object value, boolean always) {
        Object cheap = always ? null : copies.cheapCopy(value);
        if (cheap != null) {
            return cheap;
        }
        if (refused.containsKey(firstClassIn(value))) {
            return value;
        }
        if (codec instanceof MutableValueCodec<Object> mutable) {
            return mutable.copy(value);
        }
        try {
            return codec.decode(ByteBuffer.wrap(codec.encode(value)));
        } catch (Exception e) {
            if (reported.containsKey(firstClassIn(value))) {
                return value;
            }
            throw new IllegalStateException("values of " + type + " cannot be copied", e);
        }
    }
}
