package io.stampedeguard.spring.internal.key;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.spring.StampedeKeyConverter;
import io.stampedeguard.spring.StampedeTag;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ObjectUtils;

/**
 * The texts of keys. A simple key has the text of the core's standard encoding, so that programs without Spring can share entries;
 * dates, times, locales, and currencies have their {@code toString}. A composite has its parts in brackets, such as {@code [2026,de]}
 * for two arguments, {@code list[1,2]}, or {@code com.acme.Money[10,EUR]} for a record. Sets and maps are sorted. <em>Thread-safe.</em>
 *
 * <p>Different keys have different texts, with one exception, which is the core's: {@code 1}, {@code 1L}, and {@code "1"} have the same,
 * alone and as parts, unless keys are typed; then each simple one begins with its type, such as {@code Long:1}. Therefore:
 *
 * <ol>
 *   <li>Composites end with a bracket, simple keys never: {@code \} is added to one that ends with a bracket or with {@code \}.
 *   <li>In simple parts, {@code \} precedes each <code>\ [ ] , =</code>, and a quotation mark at the beginning.
 *   <li>An empty part is {@code ""}; an absent one is {@code null}, and a text "null" is {@code \null}.
 * </ol>
 */
public final class KeyTexts {
    private static final int DEEPEST = 32;
    private static final KeyEncoder<Object> STANDARD = KeyEncoder.standard();

    /** Further types whose {@code toString} is specified, and differs for different keys. */
    private static final Set<Class<?>> SPECIFIED = Set.of(
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetTime.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            ZoneOffset.class,
            Duration.class,
            Period.class,
            Year.class,
            YearMonth.class,
            MonthDay.class,
            Locale.class,
            Currency.class);

    private final List<StampedeKeyConverter<?>> converters;
    private final boolean areTyped;
    private final Map<Class<?>, Form> forms = new ConcurrentHashMap<>();

    /** Creates the texts of the keys of a cache; {@code areTyped} if simple keys contain their types. */
    public KeyTexts(List<? extends StampedeKeyConverter<?>> converters, boolean areTyped) {
        this.converters = List.copyOf(converters);
        this.areTyped = areTyped;
    }

    /** How keys of a class become text: as one simple text, or as a composite of parts. */
    private record Form(
            String name,
            @Nullable Function<Object, String> text,
            @Nullable Function<Object, Collection<? extends @Nullable Object>> parts,
            boolean isSorted) {
        static Form simple(String name, Function<Object, String> text) {
            return new Form(name, text, null, false);
        }

        static Form composite(String name, Function<Object, Collection<? extends @Nullable Object>> parts) {
            return new Form(name, null, parts, false);
        }

        static Form sorted(String name, Function<Object, Collection<? extends @Nullable Object>> parts) {
            return new Form(name, null, parts, true);
        }
    }

    /** A part of a map. */
    private record Pair(@Nullable Object key, @Nullable Object value) {}

    /**
     * Returns the text of a key.
     *
     * @param where the method whose key it is, such as {@code ProductService.find}; {@code null} by hand
     * @throws IllegalArgumentException if its type, or that of a part, has no text; the message names type and method
     */
    public String of(Object key, @Nullable String where) {
        requireNonNull(key, () -> "null key" + at(where));
        Form form = formOf(key, where);
        if (form.text == null) {
            StringBuilder text = new StringBuilder();
            append(text, key, where, 0);
            return text.toString();
        }
        String text = textOf(form, form.text, key);
        return text.endsWith("]") || text.endsWith("\\") ? text + "\\" : text;
    }

    private String textOf(Form form, Function<Object, String> text, Object key) {
        return areTyped ? form.name + ":" + text.apply(key) : text.apply(key);
    }

    private void append(StringBuilder text, @Nullable Object part, @Nullable String where, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException(
                    "A key" + at(where) + " has more than " + DEEPEST + " levels, or contains itself.");
        }
        if (part == null) {
            text.append("null");
            return;
        }
        if (part instanceof Pair pair) {
            append(text, pair.key, where, depth + 1);
            text.append('=');
            append(text, pair.value, where, depth + 1);
            return;
        }
        Form form = formOf(part, where);
        if (form.text != null) {
            appendSimple(text, textOf(form, form.text, part));
            return;
        }
        if (form.parts == null) {
            throw new IllegalStateException(form.name);
        }
        List<String> parts = new ArrayList<>();
        for (Object each : form.parts.apply(part)) {
            StringBuilder inner = new StringBuilder();
            append(inner, each, where, depth + 1);
            parts.add(inner.toString());
        }
        if (form.isSorted) {
            parts.sort(Comparator.naturalOrder());
        }
        text.append(form.name).append('[').append(String.join(",", parts)).append(']');
    }

    private static void appendSimple(StringBuilder text, String part) {
        if (part.isEmpty()) {
            text.append("\"\"");
            return;
        }
        if (part.charAt(0) == '"' || part.equals("null")) {
            text.append('\\');
        }
        for (int i = 0; i < part.length(); i++) {
            char each = part.charAt(i);
            if ("\\[],=".indexOf(each) >= 0) {
                text.append('\\');
            }
            text.append(each);
        }
    }

    private Form formOf(Object key, @Nullable String where) {
        Form known = forms.get(key.getClass());
        if (known != null) {
            return known;
        }
        Form form = newForm(key, where);
        forms.put(key.getClass(), form);
        return form;
    }

    private Form newForm(Object key, @Nullable String where) {
        Class<?> type = key.getClass();
        StampedeKeyConverter<?> converter = converterOf(type);
        if (converter != null) {
            return Form.simple(nameOf(converter.type()), each -> converted(converter, each));
        }
        if (key instanceof Enum<?> constant) {
            return Form.simple(nameOf(constant.getDeclaringClass()), STANDARD::of);
        }
        if (KeyEncoder.isStandard(type)) {
            return Form.simple(nameOf(type), STANDARD::of);
        }
        if (SPECIFIED.contains(type)) {
            return Form.simple(nameOf(type), Object::toString);
        }
        if (key instanceof SimpleKey) {
            return Form.composite("", each -> Arrays.asList(SimpleKeys.parametersOf((SimpleKey) each)));
        }
        if (key instanceof List) {
            return Form.composite("list", each -> (List<?>) each);
        }
        if (key instanceof Set) {
            return Form.sorted("set", each -> (Set<?>) each);
        }
        if (key instanceof Collection) {
            return Form.composite("collection", each -> (Collection<?>) each);
        }
        if (key instanceof Map) {
            return Form.sorted(
                    "map",
                    each -> ((Map<?, ?>) each)
                            .entrySet().stream()
                                    .map(entry -> new Pair(entry.getKey(), entry.getValue()))
                                    .toList());
        }
        if (key instanceof Optional) {
            return Form.composite(
                    "optional", each -> ((Optional<?>) each).stream().toList());
        }
        if (type.isArray()) {
            return Form.composite("array", each -> Arrays.asList(ObjectUtils.toObjectArray(each)));
        }
        if (key instanceof StampedeTag tag) {
            throw new IllegalArgumentException("Tag '" + tag.name() + "'" + at(where)
                    + " is no key: @stampede.tag(...) is for the key of an @CacheEvict.");
        }
        if (type.isRecord()) {
            return recordForm(type, where);
        }
        throw withoutText(type, where);
    }

    private Form recordForm(Class<?> type, @Nullable String where) {
        List<Method> accessors = Stream.of(type.getRecordComponents())
                .map(RecordComponent::getAccessor)
                .toList();
        if (!accessors.stream().allMatch(Method::trySetAccessible)) {
            throw withoutText(type, where);
        }
        String name = type.getName();
        return Form.composite(name.indexOf('.') < 0 ? "." + name : name, each -> {
            List<@Nullable Object> parts = new ArrayList<>();
            for (Method accessor : accessors) {
                try {
                    parts.add(accessor.invoke(each));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalArgumentException(accessor + " of a key has failed", e);
                }
            }
            return parts;
        });
    }

    /** Returns the converter of the most special type of which a class is. */
    private @Nullable StampedeKeyConverter<?> converterOf(Class<?> type) {
        StampedeKeyConverter<?> found = null;
        for (StampedeKeyConverter<?> each : converters) {
            boolean isMoreSpecial = found == null
                    || (found.type() != each.type() && found.type().isAssignableFrom(each.type()));
            if (each.type().isAssignableFrom(type) && isMoreSpecial) {
                found = each;
            }
        }
        return found;
    }

    private static <T> String converted(StampedeKeyConverter<T> converter, Object key) {
        String text = converter.text(converter.type().cast(key));
        if (text == null) { // user callback
            throw new IllegalArgumentException(converter.getClass().getName() + " returned null for a key of type "
                    + key.getClass().getSimpleName() + ".");
        }
        return text;
    }

    private static String nameOf(Class<?> type) {
        return type.getPackageName().startsWith("java.") ? type.getSimpleName() : type.getName();
    }

    private static IllegalArgumentException withoutText(Class<?> type, @Nullable String where) {
        return new IllegalArgumentException(
                "Key type " + type.getSimpleName() + at(where) + " has no text. Define a StampedeKeyConverter bean.");
    }

    private static String at(@Nullable String where) {
        return where == null ? "" : " (" + where + ")";
    }
}
