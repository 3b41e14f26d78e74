package io.stampedeguard.redis.internal.command;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of the Redis keys of a cache key, {@code {products:42}}, {@code {products:42}:lease}, and {@code
 * {products:42}:changed}, and of the channel {@code {products:}:changes} and the keys {@code {products:}:members}, {@code
 * {products:}:gen}, and {@code {products:}:marks} of its cache. The braces put all keys into one slot of a cluster, so the text between them contains no braces.
 * <em>Immutable.</em>
 */
public final class RedisKeys {
    private static final Pattern ENCODED = Pattern.compile("%(?:u([0-9A-F]{4})|([0-9A-F]{2}))");

    private static final boolean[] IS_PLAIN = plain();

    private final String prefix;
    private final byte[] start;

    public RedisKeys(String prefix) {
        this.prefix = prefix;
        this.start = (prefix + "{").getBytes(StandardCharsets.UTF_8);
    }

    private static boolean[] plain() {
        boolean[] plain = new boolean[0x80];
        for (char character = 0; character < plain.length; character++) {
            plain[character] = !isReserved(character);
        }
        return plain;
    }

    public byte[] value(String key) {
        return name(key, "}");
    }

    public byte[] lease(String key) {
        return name(key, "}:lease");
    }

    /** Returns the Redis key of the time at which a key was last changed, {@code {products:42}:changed}. */
    public byte[] changed(String key) {
        return name(key, "}:changed");
    }

    /** Returns the Redis key of the processes that use a cache, {@code {products:}:members}. */
    public byte[] members(String cache) {
        return name(cache + ":", "}:members");
    }

    /** Returns the Redis key of the generation of a cache, {@code {products:}:gen}. */
    public byte[] generation(String cache) {
        return name(cache + ":", "}:gen");
    }

    /** Returns the Redis key of the marks of tags of a cache, {@code {products:}:marks}. */
    public byte[] marks(String cache) {
        return name(cache + ":", "}:marks");
    }

    public byte[] changes(String cache) {
        return name(cache + ":", "}:changes");
    }

    /** Returns a Redis key of one partition of a key filter, such as {@code {products:filter:07}:state}. */
    public byte[] filter(String name, int partition, String part) {
        return name(String.format(Locale.ROOT, "%s:filter:%02d", name, partition), "}:" + part);
    }

    /** Returns the cache of a key: the text before the first colon. */
    public static String cacheOf(String key) {
        return key.substring(0, Math.max(0, key.indexOf(':')));
    }

    /** Returns the cache key for the Redis key of a value, {@code null} for a lease or another program's key. */
    @Nullable
    public String key(byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (!text.startsWith(prefix + "{") || !text.endsWith("}")) {
            return null;
        }
        String key = decoded(text.substring(prefix.length() + 1, text.length() - 1));
        return Arrays.equals(value(key), value) ? key : null;
    }

    private static String decoded(String encoded) {
        return ENCODED.matcher(encoded).replaceAll(found -> Matcher.quoteReplacement(character(found)));
    }

    private static String character(MatchResult found) {
        String code = found.group(1) == null ? found.group(2) : found.group(1);
        return String.valueOf((char) Integer.parseInt(code, 16));
    }

    /** Returns the name of a plain key in one pass and one allocation, since this is on the path of every hit. */
    private byte[] name(String key, String end) {
        int length = key.length();
        byte[] name = new byte[start.length + length + end.length()];
        System.arraycopy(start, 0, name, 0, start.length);
        int to = start.length;
        for (int at = 0; at < length; at++) {
            char character = key.charAt(at);
            if (character >= IS_PLAIN.length || !IS_PLAIN[character]) {
                return (prefix + "{" + encoded(key) + end).getBytes(StandardCharsets.UTF_8);
            }
            name[to++] = (byte) character;
        }
        for (int at = 0; at < end.length(); at++) {
            name[to++] = (byte) end.charAt(at);
        }
        return name;
    }

    private static boolean isReserved(char character) {
        return character == '%' || character == '{' || character == '}';
    }

    private static String encoded(String key) {
        StringBuilder text = new StringBuilder(key.length() + 8);
        key.codePoints().forEach(codePoint -> {
            char character = (char) codePoint;
            boolean isOneChar = codePoint <= Character.MAX_VALUE;
            if (isOneChar && (isReserved(character) || Character.isSurrogate(character))) {
                // Half a surrogate pair has no UTF-8: as "?", different keys would be equal.
                text.append(codePoint < 0x80 ? "%%%02X".formatted(codePoint) : "%%u%04X".formatted(codePoint));
            } else {
                text.appendCodePoint(codePoint);
            }
        });
        return text.toString();
    }
}
