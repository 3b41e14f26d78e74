package io.stampedeguard.cli;

import java.time.Duration;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A JSON object on one line, field by field; what is {@code null} is left out. For one thread. */
final class JsonObject {
    private final StringJoiner fields = new StringJoiner(",", "{", "}");

    JsonObject text(String name, @Nullable Object value) {
        return value == null ? this : raw(name, quoted(value.toString()));
    }

    JsonObject number(String name, long value) {
        return raw(name, Long.toString(value));
    }

    JsonObject flag(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    JsonObject millis(String name, @Nullable Duration value) {
        return value == null ? this : number(name, value.toMillis());
    }

    JsonObject object(String name, JsonObject value) {
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

    @Override
    public String toString() {
        return fields.toString();
    }
}
