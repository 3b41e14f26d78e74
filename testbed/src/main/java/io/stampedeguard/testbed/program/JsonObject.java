package io.stampedeguard.testbed.program;

import java.time.Duration;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A JSON object on one line of ASCII, field by field; a field that is {@code null} is left out. For one thread. */
public final class JsonObject {
    private final StringJoiner fields = new StringJoiner(",", "{", "}");

    /** Creates an object without fields. */
    public JsonObject() {}

    /**
     * Adds a text.
     *
     * @param name of the field
     * @param value an object whose {@code toString} is the text, or {@code null}
     * @return this object
     */
    public JsonObject text(String name, @Nullable Object value) {
        return value == null ? this : raw(name, quoted(value.toString()));
    }

    /**
     * Adds a whole number.
     *
     * @param name of the field
     * @param value the number
     * @return this object
     */
    public JsonObject number(String name, long value) {
        return raw(name, Long.toString(value));
    }

    /**
     * Adds a number, rounded to one decimal place.
     *
     * @param name of the field
     * @param value the number
     * @return this object
     */
    public JsonObject rounded(String name, double value) {
        return raw(name, String.format(Locale.ROOT, "%.1f", value));
    }

    /**
     * Adds a truth value.
     *
     * @param name of the field
     * @param value whether it is true
     * @return this object
     */
    public JsonObject flag(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /**
     * Adds a length of time, in milliseconds.
     *
     * @param name of the field
     * @param value the length, or {@code null}
     * @return this object
     */
    public JsonObject millis(String name, @Nullable Duration value) {
        return value == null ? this : number(name, value.toMillis());
    }

    /**
     * Adds an object.
     *
     * @param name of the field
     * @param value the object
     * @return this object
     */
    public JsonObject object(String name, JsonObject value) {
        return raw(name, value.toString());
    }

    private JsonObject raw(String name, String value) {
        fields.add(quoted(name) + ":" + value);
        return this;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character == '"' || character == '\\') {
                quoted.append('\\').append(character);
            } else if (character < ' ' || character > '~') {
                quoted.append("\\u%04x".formatted((int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }

    /** Returns the object as JSON. */
    @Override
    public String toString() {
        return fields.toString();
    }
}
