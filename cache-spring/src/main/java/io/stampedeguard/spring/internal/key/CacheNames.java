package io.stampedeguard.spring.internal.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Names of Spring's caches as names of the core's, which have 1 to 64 letters, digits, dots, hyphens, and underscores. */
public final class CacheNames {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9._-]+");
    private static final Pattern PLAIN_PROPERTY = Pattern.compile("[A-Za-z0-9-]+");
    private static final int MOST_READABLE = 50;
    private static final int HASH_BYTES = 6;

    private CacheNames() {}

    /**
     * Returns the name itself if it is allowed; otherwise a readable one that ends with a hash of the name, such as {@code
     * user-info-143c7a1a50db}: the same in all processes, and another one for each other name.
     */
    public static String coreName(String name) {
        if (ALLOWED.matcher(name).matches()) {
            return name;
        }
        String readable = OTHERS.matcher(name).replaceAll("-");
        return readable.substring(0, Math.min(readable.length(), MOST_READABLE)) + "-" + hash(name);
    }

    /** Returns the full name of a property of a cache, which has brackets around what Boot would otherwise leave out, or divide. */
    public static String property(String name, String property) {
        boolean isPlain = PLAIN_PROPERTY.matcher(name).matches();
        return "stampede.caches" + (isPlain ? "." + name : "[" + name + "]") + "." + property;
    }

    private static String hash(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }
}
