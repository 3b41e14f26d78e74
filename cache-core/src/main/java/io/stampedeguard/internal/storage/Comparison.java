package io.stampedeguard.internal.storage;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares a value with what was decoded from its encoding, part by part: an {@code equals} that looks only at an id, or that is
 * not there, says nothing. Ends for cyclic values, and after many parts. <em>Not thread-safe.</em>
 */
final class Comparison {
    private static final int MOST_PARTS = 10_000;

    private final Deque<Pair> open = new ArrayDeque<>();
    private final Set<Object> compared = Collections.newSetFromMap(new IdentityHashMap<>());
    private final @Nullable Difference difference;
    private boolean isComplete = true;
    /** Whether {@code equals} of the whole would say the same as its parts. */
    private boolean hasEquals = true;

    private int parts;

    /** Two parts at one place of the values, such as {@code .lines[].price}. */
    private record Pair(
            String place, @Nullable Object before, @Nullable Object after) {}

    /** A part that has become another one. */
    record Difference(String place, String before, String after) {
        static Difference of(String place, @Nullable Object before, @Nullable Object after) {
            return new Difference(place, typeOf(before), typeOf(after));
        }

        private static String typeOf(@Nullable Object part) {
            return part == null ? "null" : part.getClass().getTypeName();
        }

        /** Returns words such as {@code java.math.BigDecimal at '[]' becomes java.lang.Double}; no values. */
        @Override
        public String toString() {
            String where = place.isEmpty() ? "" : " at '" + place + "'";
            return before + where + " becomes " + (before.equals(after) ? "another " : "") + after;
        }
    }

    Comparison(Object value, Object back) {
        add("", value, back);
        Difference found = null;
        while (found == null && !open.isEmpty()) {
            found = compare(open.poll());
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

    @SuppressWarnings("ReferenceEquality") // what is the same needs no comparison
    private void add(String place, @Nullable Object before, @Nullable Object after) {
        if (before == after) {
            return;
        }
        if (++parts > MOST_PARTS) {
            hasEquals = false;
        } else {
            open.add(new Pair(place, before, after));
        }
    }

    private @Nullable Difference compare(Pair pair) {
        Object before = pair.before();
        Object after = pair.after();
        if (before == null || after == null) {
            return Difference.of(pair.place(), before, after);
        }
        boolean isEqual;
        if (before instanceof Optional<?> one) {
            isEqual = after instanceof Optional<?> other && addInside(pair.place(), one, other);
        } else if (isPlain(before.getClass())) {
            isEqual = isEqualPlain(before, after);
        } else if (!compared.add(before)) { // a cycle, or a part at two places
            hasEquals = false;
            isEqual = true;
        } else if (before.getClass().isArray()) {
            isEqual = before.getClass() == after.getClass() && addElements(pair.place(), before, after);
        } else if (before instanceof Map<?, ?> one) {
            isEqual = after instanceof Map<?, ?> other && addEntries(pair.place(), one, other);
        } else if (before instanceof Collection<?> one) {
            isEqual = after instanceof Collection<?> other && addElements(pair.place(), one, other);
        } else {
            isEqual = before.getClass() == after.getClass() && addFields(pair.place(), before, after);
        }
        return isEqual ? null : Difference.of(pair.place(), before, after);
    }

    private boolean addInside(String place, Optional<?> before, Optional<?> after) {
        add(place, before.orElse(null), after.orElse(null));
        return true;
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

    private boolean isEqualPlain(Object before, Object after) {
        if (definesEquals(before.getClass())) {
            return before.equals(after);
        }
        isComplete = false;
        hasEquals = false;
        return before.getClass() == after.getClass();
    }

    private static boolean definesEquals(Class<?> type) {
        try {
            return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean addElements(String place, Object before, Object after) {
        hasEquals = false;
        int length = Array.getLength(before);
        if (length != Array.getLength(after)) {
            return false;
        }
        if (before.getClass().getComponentType().isPrimitive()) {
            return Objects.deepEquals(before, after);
        }
        for (int i = 0; i < length && parts <= MOST_PARTS; i++) {
            add(place + "[]", Array.get(before, i), Array.get(after, i));
        }
        return true;
    }

    private boolean addEntries(String place, Map<?, ?> before, Map<?, ?> after) {
        hasEquals &= definesEquals(before.getClass());
        if (before.size() != after.size()
                || (before instanceof SortedMap<?, ?> one
                        && !(after instanceof SortedMap<?, ?> other
                                && (one.comparator() == null) == (other.comparator() == null)))) {
            return false;
        }
        for (Map.Entry<?, ?> entry : before.entrySet()) {
            Object key = entry.getKey();
            if (parts > MOST_PARTS) {
                return true;
            }
            if (after.containsKey(key)) {
                add(place + "[]", entry.getValue(), after.get(key));
            } else if (isComparedBy(key)) {
                return false;
            }
        }
        return true;
    }

    private boolean addElements(String place, Collection<?> before, Collection<?> after) {
        hasEquals &= definesEquals(before.getClass());
        if (before.size() != after.size() || !kindOf(before).isInstance(after)) {
            return false;
        }
        if (before instanceof SortedSet<?> one
                && !(after instanceof SortedSet<?> other
                        && (one.comparator() == null) == (other.comparator() == null))) {
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
                add(place + "[]", element, others.next());
            } else if (!after.contains(element) && isComparedBy(element)) {
                return false;
            }
        }
        return true;
    }

    private static Class<?> kindOf(Collection<?> all) {
        return all instanceof List<?> ? List.class : all instanceof Set<?> ? Set.class : all.getClass();
    }

    /** Returns whether an element that is not found among others is proof that it is not there. */
    private boolean isComparedBy(Object element) {
        if (element == null || (isPlain(element.getClass()) && definesEquals(element.getClass()))) {
            return true;
        }
        isComplete = false;
        hasEquals = false;
        return false;
    }

    private boolean addFields(String place, Object before, Object after) {
        hasEquals &= definesEquals(before.getClass());
        Class<?> type = before.getClass();
        for (; type != null && !isOfJdk(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                boolean isOfValue = !Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers);
                if (isOfValue && !field.isSynthetic() && !field.getName().endsWith("$delegate")) {
                    addField(place, field, before, after);
                }
            }
        }
        isComplete &= type == null || type == Object.class || type == Record.class;
        return true;
    }

    private void addField(String place, Field field, Object before, Object after) {
        try {
            if (field.trySetAccessible()) {
                add(place + "." + field.getName(), field.get(before), field.get(after));
                return;
            }
        } catch (IllegalAccessException e) {
            // as if it were not accessible
        }
        isComplete = false;
    }
}
