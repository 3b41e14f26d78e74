package io.stampedeguard.testbed.program;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The format of {@code --redis}: {@code redis[s]://[user:password@]host[:port][/database]}. */
public final class RedisAddress {
    private static final String EXPECTED = "redis[s]://[user:password@]host[:port][/database]";
    private static final int DEFAULT_PORT = 6379;
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern PORT = Pattern.compile("^(?:\\[[^]]*]|[^\\[\\]:]*):(.*)$");
    private static final Pattern DATABASE = Pattern.compile("\\d{0,9}");
    private static final Pattern FORM =
            Pattern.compile("(?<server>rediss?://(?:[^:@/?#]*:[^@/?#]*@)?(?:\\[[^]@/?#]+]|[^\\[\\]:@/?#]+))"
                    + "(?::(?<port>\\d{1,5}))?(?<database>(?:/\\d{0,9})?)");

    private RedisAddress() {}

    /** {@return whether a text is the address of a Redis server} */
    public static boolean isRight(String text) {
        return parse(text) != null;
    }

    /** {@return a text as an address, with the default port if none was given; {@code null} if the text is no address} */
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
     * {@return the end of a sentence about a text that is no address: what is expected, and which part is wrong, if one is} It
     * repeats no part of the text.
     */
    public static String complaint(String text) {
        return " is not " + EXPECTED + reason(text);
    }

    private static String reason(String text) {
        String scheme = text.replaceFirst("://.*", "");
        String server = text.replaceFirst("^[^/]*://", "").replaceFirst("^.*@", "");
        String database = server.contains("/") ? server.substring(server.indexOf('/') + 1) : "";
        String host = server.contains("/") ? server.substring(0, server.indexOf('/')) : server;
        Matcher port = PORT.matcher(host);
        if (!scheme.equals("redis") && !scheme.equals("rediss")) {
            return ": it begins with neither redis:// nor rediss://";
        }
        if (host.isEmpty()) {
            return ": it has no host";
        }
        if (port.find() && !isPort(port.group(1))) {
            return ": the port is not a number from 1 to 65535";
        }
        return DATABASE.matcher(database).matches() ? "" : ": the database after the host is not a number";
    }

    private static boolean isPort(String text) {
        return text.matches("\\d{1,5}") && Integer.parseInt(text) > 0 && Integer.parseInt(text) <= HIGHEST_PORT;
    }

    /** {@return a text, an address or not, without possible passwords: all before the last {@code @}, and a query} */
    public static String withoutCredentials(String text) {
        return text.replaceFirst("^(rediss?://)?.*@", "$1***@").replaceFirst("\\?.*", "?***");
    }
}
