package io.stampedeguard.spring.internal.value;

import io.stampedeguard.codec.ValueCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.springframework.core.ConfigurableObjectInputStream;
import org.springframework.core.ResolvableType;

/**
 * Java's serialization for values of one declared type. It reads only classes from the packages of the type, of its type arguments, and
 * of the types of their fields, and the usual values and collections of Java. This is a limit, not a proof: an attacker who can write to
 * the store can create any object of these classes. <em>Thread-safe.</em>
 */
final class JavaCodec implements ValueCodec<Object> {
    private static final Set<String> OF_JAVA =
            Set.of("java.lang", "java.math", "java.net", "java.sql", "java.time", "java.util", "java.util.concurrent");

    private static final int DEEPEST = 256;

    private final ClassLoader loader;
    private final Set<String> packages = new HashSet<>(OF_JAVA);

    JavaCodec(Type type) {
        ClassLoader own = SignatureTypes.raw(type).getClassLoader();
        for (Type each : SignatureTypes.arguments(type)) {
            own = own == null ? SignatureTypes.raw(each).getClassLoader() : own;
        }
        loader = own == null ? Thread.currentThread().getContextClassLoader() : own;
        addPackages(ResolvableType.forType(type), new HashSet<>());
    }

    private void addPackages(ResolvableType type, Set<Type> seen) {
        if (type.isArray()) {
            addPackages(type.getComponentType(), seen);
            return;
        }
        Class<?> raw = type.resolve();
        if (raw == null || !seen.add(type.getType())) {
            return;
        }
        for (ResolvableType each : type.getGenerics()) {
            addPackages(each, seen);
        }
        if (raw.isPrimitive() || raw.getName().startsWith("java.")) {
            return;
        }
        packages.add(raw.getPackageName());
        for (Class<?> each = raw; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())) {
                    addPackages(ResolvableType.forField(field, type), seen);
                }
            }
        }
    }

    @Override
    public byte[] encode(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(value);
        }
        return bytes.toByteArray();
    }

    @Override
    public Object decode(ByteBuffer payload) throws IOException, ClassNotFoundException {
        int length = payload.remaining();
        ByteArrayInputStream bytes =
                new ByteArrayInputStream(payload.array(), payload.arrayOffset() + payload.position(), length);
        try (ObjectInputStream objects = new ConfigurableObjectInputStream(bytes, loader)) {
            ObjectInputFilter own = info -> check(info, length);
            ObjectInputFilter ofProcess = ObjectInputFilter.Config.getSerialFilter();
            objects.setObjectInputFilter(ofProcess == null ? own : ObjectInputFilter.merge(own, ofProcess));
            return objects.readObject();
        }
    }

    /** No array can have more elements than the payload has bytes, but that of a hash table, which is sparse. */
    private Status check(FilterInfo info, int length) {
        if (info.depth() > DEEPEST || info.references() > length || info.arrayLength() > 4L * length + DEEPEST) {
            return Status.REJECTED;
        }
        Class<?> type = info.serialClass();
        while (type != null && type.isArray()) {
            type = type.getComponentType();
        }
        return type == null || type.isPrimitive() || packages.contains(type.getPackageName())
                ? Status.ALLOWED
                : Status.REJECTED;
    }
}
