package io.stampedeguard.testbed.fleet;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One line between the parent and a member: a verb and named fields, such as {@code done gets=256 errors=0}.
 * <em>Immutable.</em>
 *
 * @param verb its subject, one word
 * @param fields its values, any text under one-word names
 */
public record Message(String verb, Map<String, String> fields) {
    public Message {
        fields = Map.copyOf(fields);
    }

    /** {@return a message without fields} */
    public static Message of(String verb) {
        return new Message(verb, Map.of());
    }

    /** {@return the same message with one more field} */
    public Message with(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        more.put(name, value.toString());
        return new Message(verb, more);
    }

    /**
     * {@return the same message with a field for each component of a record, for {@link #read}} The components of a nested record are
     * fields like its own.
     *
     * @param values a record of texts, numbers, booleans, durations, paths, constants of enums, and records of such; all but booleans
     *     and texts may be {@code null}
     * @throws IllegalArgumentException if there is a field of that name
     */
    public Message with(Record values) {
        Message more = this;
        for (Map.Entry<String, String> field : RecordFields.of(values).entrySet()) {
            if (fields.containsKey(field.getKey())) {
                throw new IllegalArgumentException(this + " has a field '" + field.getKey() + "'");
            }
            more = more.with(field.getKey(), field.getValue());
        }
        return more;
    }

    /**
     * {@return the record whose components are fields}
     *
     * @throws IllegalArgumentException if a field is missing or is no value of its component
     */
    public <R extends Record> R read(Class<R> type) {
        return RecordFields.read(type, this);
    }

    /**
     * {@return the value of a field}
     *
     * @throws IllegalArgumentException if there is no field of that name
     */
    public String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("message '" + verb + "' has no field '" + name + "'");
        }
        return value;
    }

    /**
     * {@return the value of a field that is a whole number}
     *
     * @throws IllegalArgumentException if there is no field of that name, or it is no number
     */
    public long number(String name) {
        return Long.parseLong(text(name));
    }

    static Message parse(String line) {
        String[] words = line.split(" ", -1);
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            fields.put(words[i].substring(0, equals), decode(words[i].substring(equals + 1)));
        }
        return new Message(words[0], fields);
    }

    String line() {
        return fields.entrySet().stream()
                .map(field -> " " + field.getKey() + "=" + encode(field.getValue()))
                .collect(Collectors.joining("", verb, ""));
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Returns the verb and the names of the fields; the values may be secret, or very long. */
    @Override
    public String toString() {
        return verb + fields.keySet();
    }
}
