package io.stampedeguard.internal.storage;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares a value with what was decoded from its encoding, part by part: an {@code equals} that looks only at an id, or that is
 * not there, says nothing. Ends for cyclic values, and after many parts. <em>Not thread-safe.</em>
 */
final class Comparison {
    private static final int MOST_PARTS = 10_000;

    private final Deque<Pair> open = new ArrayDeque<>();
    private final Set<Same> compared = new HashSet<>();
    private final @Nullable Difference difference;
    private boolean isComplete = true;
    private boolean hasGaps;
    /** A difference unless the encodings are equal. */
    private Difference suspected;

    /** Whether {@code equals} of the whole would say the same as its parts. */
    private boolean hasEquals = true;

    private int parts;

    /**
     * Two parts at one path in the values, such as {@code .lines[].price}; and the objects whose own {@code equals} decides whether
     * the parts are of the value, if they may be something that the objects remember, such as their hash.
     */
    private record Pair(
            String path,
            @Nullable Object before,
            @Nullable Object after,
            @Nullable Same owners) {}

    /** Two objects: a part at two paths may become two different ones. */
    private record Same(Object before, Object after) {
        @Override
        @SuppressWarnings("ReferenceEquality") // what is the same, not what is equal
        public boolean equals(@Nullable Object other) {
            return other instanceof Same same && same.before == before && same.after == after;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(before) + System.identityHashCode(after);
        }
    }

    /** A part that has become another one. */
    record Difference(String path, String before, String after) {
        static Difference of(String path, @Nullable Object before, @Nullable Object after) {
            return new Difference(path, typeOf(before), typeOf(after));
        }

        private static String typeOf(@Nullable Object part) {
            return part == null ? "null" : part.getClass().getTypeName();
        }

        /** Returns words such as {@code java.math.BigDecimal at '[]' becomes java.lang.Double}; no values. */
        @Override
        public String toString() {
            String where = path.isEmpty() ? "" : " at '" + path + "'";
            return before + where + " becomes " + (before.equals(after) ? "another " : "") + after;
        }
    }

    Comparison(Object value, Object back) {
        suspected = Difference.of("", value, back);
        add("", value, back);
        Difference found = null;
        while (found == null && !open.isEmpty()) {
            Pair pair = open.poll();
            found = compare(pair);
            if (found != null && isRemembered(pair)) {
                suspected = found;
                isComplete = false;
                found = null;
            }
        }
        boolean isOther = found == null && hasEquals && !value.equals(back);
        difference = isOther ? Difference.of("", value, back) : found;
    }

    @Nullable
    Difference difference() {
        return difference;
    }

    /** Returns whether all parts could be compared. */
    boolean isComplete() {
        return isComplete;
    }

    /** Returns what is a difference if not all parts could be compared, and the encodings differ. */
    Difference suspected() {
        return suspected;
    }

    /** Returns whether something was empty, such as a collection: another value may have parts there. */
    boolean hasGaps() {
        return hasGaps;
    }

    /** Returns whether parts are not of the value by the {@code equals} of their objects; their encodings decide. */
    private static boolean isRemembered(Pair pair) {
        Same owners = pair.owners();
        if (owners == null || !owners.before().equals(owners.after())) {
            return false;
        }
        Object before = pair.before();
        Object after = pair.after();
        boolean isOtherType = before != null
                && after != null
                && before.getClass() != after.getClass()
                && isOfJdk(before.getClass())
                && isOfJdk(after.getClass());
        return !isOtherType;
    }

    /** Adds two parts; returns true. */
    private boolean add(String path, @Nullable Object before, @Nullable Object after) {
        add(path, before, after, null);
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // what is the same needs no comparison
    private void add(String path, @Nullable Object before, @Nullable Object after, @Nullable Same owners) {
        if (before == after) {
            hasGaps |= before == null || (before instanceof Optional<?> optional && optional.isEmpty());
            return;
        }
        if (++parts > MOST_PARTS) {
            hasEquals = false;
        } else {
            open.add(new Pair(path, before, after, owners));
        }
    }

    private @Nullable Difference compare(Pair pair) {
        Object before = pair.before();
        Object after = pair.after();
        if (before == null || after == null) {
            return Difference.of(pair.path(), before, after);
        }
        boolean isEqual;
        if (before instanceof Optional<?> one) {
            isEqual = after instanceof Optional<?> other && add(pair.path(), one.orElse(null), other.orElse(null));
        } else if (before instanceof AtomicReference<?> one) {
            hasEquals = false;
            isEqual = after instanceof AtomicReference<?> other && add(pair.path(), one.get(), other.get());
        } else if (before instanceof Map.Entry<?, ?> one && isOfJdk(before.getClass())) {
            isEqual = after instanceof Map.Entry<?, ?> other
                    && add(pair.path(), one.getKey(), other.getKey())
                    && add(pair.path(), one.getValue(), other.getValue());
        } else if (isPlain(before.getClass())) {
            isEqual = comparePlain(before, after);
        } else if (!compared.add(new Same(before, after))) { // a cycle, or a part at two paths
            hasEquals = false;
            isEqual = true;
        } else if (before.getClass().isArray()) {
            isEqual = before.getClass() == after.getClass() && addElements(pair.path(), before, after);
        } else if (before instanceof Map<?, ?> one) {
            isEqual = after instanceof Map<?, ?> other
                    && addEntries(pair.path(), one, other)
                    && addOwnFields(pair.path(), before, after);
        } else if (before instanceof Collection<?> one) {
            isEqual = after instanceof Collection<?> other
                    && addElements(pair.path(), one, other)
                    && addOwnFields(pair.path(), before, after);
        } else {
            isEqual = before.getClass() == after.getClass() && addFields(pair.path(), before, after);
        }
        return isEqual ? null : Difference.of(pair.path(), before, after);
    }

    /** Returns whether values of a class have no parts of their own: those of the JDK, except arrays and collections. */
    private static boolean isPlain(Class<?> type) {
        return (isOfJdk(type) && !Map.class.isAssignableFrom(type) && !Collection.class.isAssignableFrom(type))
                || Enum.class.isAssignableFrom(type);
    }

    private static boolean isOfJdk(Class<?> type) {
        return !type.isArray()
                && (type.getClassLoader() == null || type.getName().startsWith("java."));
    }

    private boolean comparePlain(Object before, Object after) {
        if (definesEquals(before.getClass())) {
            return before.equals(after) && typeOf(before) == typeOf(after);
        }
        isComplete = false;
        hasEquals = false;
        return before.getClass() == after.getClass();
    }

    /** Returns the class of a value, which tells equal ones of the JDK apart, such as a date and a time stamp. */
    private static Class<?> typeOf(Object plain) {
        return plain instanceof Enum<?> constant ? constant.getDeclaringClass() : plain.getClass();
    }

    private static boolean definesOwnEquals(Class<?> type) {
        return !type.isRecord() && !isOfJdk(definerOfEquals(type));
    }

    private static boolean definesEquals(Class<?> type) {
        return definerOfEquals(type) != Object.class;
    }

    private static Class<?> definerOfEquals(Class<?> type) {
        try {
            return type.getMethod("equals", Object.class).getDeclaringClass();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean addElements(String path, Object before, Object after) {
        hasEquals = false;
        int length = Array.getLength(before);
        hasGaps |= length == 0;
        if (length != Array.getLength(after)) {
            return false;
        }
        if (before.getClass().getComponentType().isPrimitive()) {
            return Objects.deepEquals(before, after);
        }
        for (int i = 0; i < length && parts <= MOST_PARTS; i++) {
            add(path + "[]", Array.get(before, i), Array.get(after, i));
        }
        return true;
    }

    private boolean addEntries(String path, Map<?, ?> before, Map<?, ?> after) {
        hasEquals &= definesEquals(before.getClass());
        hasGaps |= before.isEmpty();
        if (before.size() != after.size()
                || (before instanceof LinkedHashMap && !haveSameOrder(before, after))
                || (before instanceof SortedMap<?, ?> one
                        && !(after instanceof SortedMap<?, ?> other
                                && areAlike(one.comparator(), other.comparator())))) {
            return false;
        }
        for (Map.Entry<?, ?> entry : before.entrySet()) {
            Object key = entry.getKey();
            if (parts > MOST_PARTS) {
                return true;
            }
            if (after.containsKey(key)) {
                add(path + "[]", entry.getValue(), after.get(key));
            } else if (checkComparable(key)) {
                return false;
            }
        }
        return true;
    }

    private boolean addElements(String path, Collection<?> before, Collection<?> after) {
        hasEquals &= definesEquals(before.getClass());
        hasGaps |= before.isEmpty();
        if (before.size() != after.size()
                || !kindOf(before).isInstance(after)
                || (before instanceof SortedSet<?> one
                        && !(after instanceof SortedSet<?> other && areAlike(one.comparator(), other.comparator())))) {
            return false;
        }
        boolean isOrdered =
                !(before instanceof Set<?>) || before instanceof SortedSet || before instanceof LinkedHashSet;
        Iterator<?> others = after.iterator();
        for (Object element : before) {
            if (parts > MOST_PARTS) {
                return true;
            }
            if (isOrdered) {
                add(path + "[]", element, others.next());
            } else if (!after.contains(element) && checkComparable(element)) {
                return false;
            }
        }
        return true;
    }

    private static boolean haveSameOrder(Map<?, ?> before, Map<?, ?> after) {
        Iterator<?> others = after.keySet().iterator();
        for (Object key : before.keySet()) {
            Object other = others.next();
            if (!Objects.equals(key, other) && after.containsKey(key)) {
                return false;
            }
        }
        return true;
    }

    private static boolean areAlike(@Nullable Object comparator, @Nullable Object other) {
        return (comparator == null) == (other == null);
    }

    private static Class<?> kindOf(Collection<?> all) {
        return all instanceof List<?> ? List.class : all instanceof Set<?> ? Set.class : all.getClass();
    }

    /** Returns whether an element that is not found among others is proof that it is not there; if not, notes that. */
    private boolean checkComparable(Object element) {
        if (element == null || (isPlain(element.getClass()) && definesEquals(element.getClass()))) {
            return true;
        }
        isComplete = false;
        hasEquals = false;
        return false;
    }

    /**
     * Adds the fields that a class outside the JDK adds to a collection or a map of the JDK, and returns whether the other
     * one has them. Those of other collections are their way to be one.
     */
    private boolean addOwnFields(String path, Object before, Object after) {
        Class<?> type = before.getClass();
        if (isOfJdk(type) || !extendsWhole(type)) {
            return true;
        }
        if (type == after.getClass()) {
            return addFields(path, before, after);
        }
        for (Class<?> each = type; each != null && !isOfJdk(each); each = each.getSuperclass()) {
            if (Stream.of(each.getDeclaredFields()).anyMatch(Comparison::isOfValue)) {
                return false;
            }
        }
        return true;
    }

    private static boolean extendsWhole(Class<?> type) {
        Class<?> parent = type;
        while (parent != null && !isOfJdk(parent)) {
            parent = parent.getSuperclass();
        }
        return parent != null && parent != Object.class && !Modifier.isAbstract(parent.getModifiers());
    }

    private boolean addFields(String path, Object before, Object after) {
        Class<?> type = before.getClass();
        hasEquals &= definesEquals(type);
        Same owners = definesOwnEquals(type) ? new Same(before, after) : null;
        for (; type != null && !isOfJdk(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (isOfValue(field)) {
                    int modifiers = field.getModifiers();
                    boolean mayBeRemembered = !Modifier.isPublic(modifiers) && !Modifier.isFinal(modifiers);
                    addField(path, field, before, after, mayBeRemembered ? owners : null);
                }
            }
        }
        isComplete &= type == null
                || type == Object.class
                || type == Record.class
                || before instanceof Map
                || before instanceof Collection;
        return true;
    }

    private static boolean isOfValue(Field field) {
        int modifiers = field.getModifiers();
        return !Modifier.isStatic(modifiers)
                && !Modifier.isTransient(modifiers)
                && !field.isSynthetic()
                && !field.getName().endsWith("$delegate");
    }

    private void addField(String path, Field field, Object before, Object after, @Nullable Same owners) {
        try {
            if (field.trySetAccessible()) {
                add(path + "." + field.getName(), field.get(before), field.get(after), owners);
                return;
            }
        } catch (IllegalAccessException e) {
            // as if it were not accessible
        }
        isComplete = false;
    }
}
