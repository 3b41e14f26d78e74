package io.stampedeguard.spring.internal.value;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The types of the values of one cache, as its methods declare them, and their codec. Entries name their type by a hash of its name;
 * only types that are declared here are read. <em>Thread-safe.</em>
 */
public final class ValueTypes {
    private static final Logger LOG = LoggerFactory.getLogger(ValueTypes.class);

    private final Map<Type, ValueCodec<?>> codecs = new HashMap<>();
    private final Map<Type, DeclaredValue> declared = new ConcurrentHashMap<>();
    private final Map<Long, DeclaredValue> byId = new ConcurrentHashMap<>();

    /** Creates the types of a cache, with the user's codecs by the types of their values. */
    public ValueTypes(Map<? extends Type, ? extends ValueCodec<?>> codecs) {
        codecs.forEach((type, codec) -> this.codecs.put(SignatureTypes.normal(type), codec));
    }

    /**
     * Returns the type of the values that a method stores: what it returns, without {@code Optional}, {@code CompletableFuture}, or
     * {@code Mono}, and as a list of what a {@code Flux} gives; what a suspending function of Kotlin returns.
     *
     * @param targetClass the class of the bean
     * @param interfaces those of its proxy, which may know type arguments that the class of the bean does not
     */
    public static Type valueTypeOf(Method method, Class<?> targetClass, Class<?>... interfaces) {
        List<Class<?>> owners = new ArrayList<>();
        owners.add(targetClass);
        owners.addAll(List.of(interfaces));
        return SignatureTypes.valueTypeOf(method, owners);
    }

    /**
     * Returns a type as a declared one: always the same for equal types.
     *
     * @param where a method that declares it, for messages
     */
    public DeclaredValue declare(Type type, @Nullable Method where) {
        Type normal = SignatureTypes.normal(type);
        DeclaredValue found = declared.get(normal);
        if (found == null) {
            found = declared.computeIfAbsent(normal, this::declareNew);
        }
        found.usedIn(SignatureTypes.name(where));
        return found;
    }

    @SuppressWarnings("unchecked") // it is the codec of that type
    private DeclaredValue declareNew(Type normal) {
        DeclaredValue added = new DeclaredValue(normal, (ValueCodec<Object>) codecs.get(normal));
        DeclaredValue other = byId.putIfAbsent(added.id(), added);
        if (other != null) {
            throw new IllegalStateException("types " + other.name() + " and " + added.name()
                    + " have the same hash, or are two classes of one name: rename one");
        }
        return added;
    }

    /**
     * Returns the type of a value that no method declares, because it is put by hand: the only type of its cache that it can be of;
     * otherwise its class.
     *
     * @param ofCache the types that the methods of the cache declare
     */
    public DeclaredValue declareFor(Object value, Collection<DeclaredValue> ofCache) {
        List<DeclaredValue> possible = ofCache.stream()
                .filter(each -> each.raw().isInstance(value))
                .distinct()
                .toList();
        return possible.stream()
                .filter(each -> possible.size() == 1 || each.type() == value.getClass())
                .findFirst()
                .orElseGet(() -> declare(classOf(value), null));
    }

    private static Class<?> classOf(Object value) {
        if (value instanceof List) {
            return List.class;
        }
        if (value instanceof Set) {
            return Set.class;
        }
        if (value instanceof Map) {
            return Map.class;
        }
        return value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
    }

    /** Returns the type of an id in an entry; {@code null} if it is not declared here. */
    @Nullable
    DeclaredValue byId(long id) {
        return byId.get(id);
    }

    /**
     * Returns the codec of the cache.
     *
     * @param cacheName names the cache in messages
     * @param version of all its values, from 0 to 65,535
     */
    public MutableValueCodec<TypedValue> codec(String cacheName, Values values, Format format, int version) {
        if (format == Format.JAVA) {
            LOG.warn(
                    "Cache '{}' uses Java's serialization (codec=java): whoever can write to the store may"
                            + " be able to run code in this process. Use JSON if you can.",
                    cacheName);
        }
        return new TypedCodec(this, values, format, version);
    }
}
