package io.stampedeguard.testbed.program;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A JSON object on one line of ASCII, field by field; a field that is {@code null} is left out. For one thread. */
public final class JsonObject {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
    private static final String DELETE = "\u007f";

    private final ObjectNode fields = MAPPER.createObjectNode();

    /**
     * Adds a text.
     *
     * @param value an object whose {@code toString} is the text, or {@code null}
     */
    public JsonObject text(String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value.toString());
        }
        return this;
    }

    /** Adds a whole number. */
    public JsonObject number(String name, long value) {
        fields.put(name, value);
        return this;
    }

    /** Adds a number, rounded. One that is not finite is left out: JSON has no such numbers. */
    public JsonObject rounded(String name, double value, int places) {
        if (Double.isFinite(value)) {
            fields.put(name, BigDecimal.valueOf(value).setScale(places, RoundingMode.HALF_UP));
        }
        return this;
    }

    /** Adds a truth value. */
    public JsonObject flag(String name, boolean value) {
        fields.put(name, value);
        return this;
    }

    /**
     * Adds a duration, in milliseconds.
     *
     * @param value the length, or {@code null}
     */
    public JsonObject millis(String name, @Nullable Duration value) {
        return value == null ? this : number(name, value.toMillis());
    }

    /** Adds an object in its present state; a field that it gets later is not added. */
    public JsonObject object(String name, JsonObject value) {
        fields.set(name, value.fields.deepCopy());
        return this;
    }

    /** Returns the object as JSON. All control characters are escaped, also DEL, which JSON permits and Jackson leaves. */
    @Override
    public String toString() {
        return MAPPER.writeValueAsString(fields).replace(DELETE, "\\u007F");
    }
}
