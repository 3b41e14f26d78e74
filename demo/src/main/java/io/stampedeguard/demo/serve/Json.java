package io.stampedeguard.demo.serve;

import java.util.Locale;
import java.util.StringJoiner;

/** A JSON object that is written field by field. Not thread-safe. */
final class Json {
    private static final int FIRST_PRINTABLE = 0x20;

    private final StringJoiner fields = new StringJoiner(",", "{", "}");

    Json with(String name, long number) {
        return withRaw(name, Long.toString(number));
    }

    Json with(String name, double number) {
        return withRaw(name, String.format(Locale.ROOT, "%.1f", number));
    }

    Json with(String name, boolean value) {
        return withRaw(name, Boolean.toString(value));
    }

    Json with(String name, String text) {
        return withRaw(name, quoted(text));
    }

    Json with(String name, Json object) {
        return withRaw(name, object.toString());
    }

    private Json withRaw(String name, String value) {
        fields.add(quoted(name) + ":" + value);
        return this;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < FIRST_PRINTABLE) {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    /** Returns the object. */
    @Override
    public String toString() {
        return fields.toString();
    }
}
