package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import java.util.function.Function;

/**
 * Converts keys of a type to text, under which their values are stored. Needed for types whose {@code toString} may change or be the
 * same for different keys: all but strings, numbers, booleans, characters, enums, UUIDs, dates and times of {@code java.time}, and
 * collections, arrays, and records of such. Define it as a bean. Implementations are <em>thread-safe</em>.
 *
 * @param <T> the type of the keys
 */
public interface StampedeKeyConverter<T> {
    /** {@return the type of the keys; subclasses, too, unless there is a converter for them} */
    Class<T> type();

    /**
     * {@return the text of a key} Equal keys have equal texts, different keys have different texts, in all processes and for as long as
     * entries live.
     *
     * @param key the key
     */
    String text(T key);

    /**
     * {@return a new converter that uses a function, for example {@code StampedeKeyConverter.of(Isbn.class, Isbn::digits)}}
     *
     * @param <T> the type of the keys
     * @param type the type of the keys
     * @param text returns the text of a key; thread-safe
     */
    static <T> StampedeKeyConverter<T> of(Class<T> type, Function<? super T, String> text) {
        requireNonNull(type, "type");
        requireNonNull(text, "text");
        return new StampedeKeyConverter<>() {
            @Override
            public Class<T> type() {
                return type;
            }

            @Override
            public String text(T key) {
                return text.apply(key);
            }
        };
    }
}
