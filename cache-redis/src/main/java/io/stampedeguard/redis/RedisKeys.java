package io.stampedeguard.redis;

import java.nio.charset.StandardCharsets;

/**
 * Names the two Redis keys of a cache key, {@code {products:42}} and {@code {products:42}:lease}. The braces put both
 * into one slot of a cluster; so the text between them has none of its own. <em>Immutable.</em>
 */
final class RedisKeys {
    private final String prefix;

    RedisKeys(String prefix) {
        this.prefix = prefix;
    }

    byte[] value(String key) {
        return name(key, "}");
    }

    byte[] lease(String key) {
        return name(key, "}:lease");
    }

    private String encoded(String key) {
        for (int at = 0; at < key.length(); at++) {
            if (mustBeEncoded(key.charAt(at))) {
                return encodedSlowly(key);
            }
        }
        return key;
    }

    private byte[] name(String key, String end) {
        return (prefix + "{" + encoded(key) + end).getBytes(StandardCharsets.UTF_8);
    }

    private static boolean mustBeEncoded(char character) {
        return character == '%' || character == '{' || character == '}' || Character.isSurrogate(character);
    }

    private static String encodedSlowly(String key) {
        StringBuilder text = new StringBuilder(key.length() + 8);
        key.codePoints().forEach(codePoint -> {
            if (codePoint <= Character.MAX_VALUE && mustBeEncoded((char) codePoint)) {
                // Half a surrogate pair has no UTF-8: encoded as "?", different keys would be one.
                text.append(codePoint < 0x80 ? "%%%02X".formatted(codePoint) : "%%u%04X".formatted(codePoint));
            } else {
                text.appendCodePoint(codePoint);
            }
        });
        return text.toString();
    }
}
