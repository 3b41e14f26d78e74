package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.internal.failure.CallbackLog;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.HostAndPort;

/**
 * The version of Jedis on the class path. It is checked before anything else of Jedis is used: an older one lacks classes, and
 * the error for such a class names no version.
 */
public final class JedisVersion {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);
    private static final int OLDEST = 6;
    private static final int NEWEST = 8;
    private static final String SUPPORTED = "Jedis " + OLDEST + ".0 to " + NEWEST + " are supported";
    private static final Pattern MAJOR = Pattern.compile("(\\d{1,4})\\..*");

    private JedisVersion() {}

    /** Throws an {@link IllegalStateException} if Jedis states a version that is too old. */
    public static void check() {
        check(found());
    }

    static void check(@Nullable String found) {
        Matcher major = MAJOR.matcher(String.valueOf(found));
        if (!major.matches()) {
            return;
        }
        int number = Integer.parseInt(major.group(1));
        if (number < OLDEST) {
            throw new IllegalStateException("Jedis " + found + " is on the class path, but " + SUPPORTED);
        }
        if (number > NEWEST) {
            LOG.warn("Jedis {} is on the class path; {}, this version is untested", found, SUPPORTED);
        }
    }

    public static @Nullable String found() {
        try (InputStream resource =
                HostAndPort.class.getResourceAsStream("/META-INF/maven/redis.clients/jedis/pom.properties")) {
            if (resource == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(resource);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            CallbackLog.debug(LOG, "Could not determine the version of Jedis", unreadable);
            return null;
        }
    }
}
