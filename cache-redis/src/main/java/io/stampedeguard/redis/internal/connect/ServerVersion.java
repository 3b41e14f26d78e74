package io.stampedeguard.redis.internal.connect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version of a server. <em>Immutable.</em>
 *
 * @param major the first number
 * @param minor the second number
 * @param text the complete version, as the server reports it
 */
record ServerVersion(int major, int minor, String text) {
    private static final int NEEDED_MAJOR = 6;
    private static final int NEEDED_MINOR = 2;

    /** The requirement, for the end of a sentence. */
    static final String NEEDED = NEEDED_MAJOR + "." + NEEDED_MINOR + " or newer is needed";

    /** Servers with another name, such as Valkey, report the compatible version in the same field. */
    private static final Pattern VERSION =
            Pattern.compile("^redis_version:((\\d{1,4})\\.(\\d{1,4})\\S*)", Pattern.MULTILINE);

    /** Returns the version in the answer to {@code INFO}; {@code null} if there is none in a known format. */
    static @Nullable ServerVersion in(String info) {
        Matcher found = VERSION.matcher(info);
        return found.find()
                ? new ServerVersion(Integer.parseInt(found.group(2)), Integer.parseInt(found.group(3)), found.group(1))
                : null;
    }

    boolean isTooOld() {
        return major < NEEDED_MAJOR || (major == NEEDED_MAJOR && minor < NEEDED_MINOR);
    }

    /** Returns the message that it is too old. */
    String complaint(String where) {
        return "the server" + where + " is Redis " + text + ", but " + NEEDED;
    }
}
