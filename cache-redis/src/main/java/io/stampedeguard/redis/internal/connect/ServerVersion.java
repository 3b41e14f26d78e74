package io.stampedeguard.redis.internal.connect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version of a server. <em>Immutable.</em>
 *
 * @param major the first number
 * @param minor the second number
 * @param text all of it, as the server tells it
 */
record ServerVersion(int major, int minor, String text) {
    private static final int NEEDED_MAJOR = 6;
    private static final int NEEDED_MINOR = 2;

    /** Says what is needed, for the end of a sentence. */
    static final String NEEDED = NEEDED_MAJOR + "." + NEEDED_MINOR + " or newer is needed";

    /** What a server is that names itself otherwise, as Valkey does, it still tells in the place where Redis does. */
    private static final Pattern VERSION =
            Pattern.compile("^redis_version:((\\d{1,4})\\.(\\d{1,4})\\S*)", Pattern.MULTILINE);

    /** Reads the answer to {@code INFO}; {@code null} if it has no version that is understood. */
    static @Nullable ServerVersion in(String info) {
        Matcher found = VERSION.matcher(info);
        return found.find()
                ? new ServerVersion(Integer.parseInt(found.group(2)), Integer.parseInt(found.group(3)), found.group(1))
                : null;
    }

    boolean isTooOld() {
        return major < NEEDED_MAJOR || (major == NEEDED_MAJOR && minor < NEEDED_MINOR);
    }

    /** Says that it is too old. */
    String complaint(String where) {
        return "the server" + where + " is Redis " + text + ", but " + NEEDED;
    }
}
