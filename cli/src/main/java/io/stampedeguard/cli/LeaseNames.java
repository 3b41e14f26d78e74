package io.stampedeguard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.redis.internal.command.RedisKeys;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The Redis keys of leases, {@code {products:42}:lease} after a prefix. <em>Immutable.</em> */
final class LeaseNames {
    private static final Pattern ENCODED = Pattern.compile("%(?:u([0-9A-F]{4})|([0-9A-F]{2}))");
    private static final Pattern SPECIAL = Pattern.compile("[*?\\[\\]\\\\^]");
    private static final String END = "}:lease";

    private final String beginning;
    private final int keyAt;
    private final RedisKeys entries;

    LeaseNames(String prefix, String keysBeginWith) {
        this.beginning = prefix + "{" + keysBeginWith;
        this.keyAt = prefix.length() + 1;
        this.entries = new RedisKeys(prefix);
    }

    String pattern() {
        return patternOfAll() + END;
    }

    /** Returns the pattern of all Redis keys of these cache keys, leases and others. */
    String patternOfAll() {
        return SPECIAL.matcher(beginning).replaceAll("\\\\$0") + "*";
    }

    boolean isOne(String name) {
        return name.startsWith(beginning)
                && name.endsWith(END)
                && storeKey(name).indexOf(':') > 0;
    }

    String storeKey(String name) {
        String encoded = name.substring(keyAt, name.length() - END.length());
        return ENCODED.matcher(encoded).replaceAll(found -> Matcher.quoteReplacement(character(found)));
    }

    /** Returns the cache key of a lease or a value, {@code null} for another Redis key. */
    @Nullable
    String keyOf(String name) {
        return isOne(name) ? storeKey(name) : entries.key(name.getBytes(UTF_8));
    }

    private static String character(MatchResult found) {
        String code = found.group(1) == null ? found.group(2) : found.group(1);
        return String.valueOf((char) Integer.parseInt(code, 16));
    }
}
