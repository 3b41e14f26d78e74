package io.stampedeguard.testbed.program;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code --redis} takes: {@code redis[s]://[user:password@]host[:port][/database]}. */
public final class RedisAddress {
    private static final int DEFAULT_PORT = 6379;
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern FORM =
            Pattern.compile("(?<server>rediss?://(?:[^:@/?#]*:[^@/?#]*@)?(?:\\[[^]@/?#]+]|[^\\[\\]:@/?#]+))"
                    + "(?::(?<port>\\d{1,5}))?(?<database>(?:/\\d{0,9})?)");

    private RedisAddress() {}

    /**
     * Returns whether it is the address of a Redis.
     *
     * @param text what was given
     * @return whether it has the form of one
     */
    public static boolean isRight(String text) {
        return parse(text) != null;
    }

    /**
     * Creates an address of it.
     *
     * @param text what was given
     * @return the address, with its port also if that was not given; {@code null} if it has not the form of one
     */
    public static @Nullable URI parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return null;
        }
        int port = form.group("port") == null ? DEFAULT_PORT : Integer.parseInt(form.group("port"));
        try {
            URI uri = new URI(form.group("server") + ":" + port + form.group("database"));
            return uri.getHost() != null && port > 0 && port <= HIGHEST_PORT ? uri : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /**
     * Takes out of what was given, be it an address or not, what may be a password: all before the last {@code @}, and a query.
     *
     * @param text what was given
     * @return the rest of it, for people
     */
    public static String withoutCredentials(String text) {
        return text.replaceFirst("^(rediss?://)?.*@", "$1***@").replaceFirst("\\?.*", "?***");
    }
}
