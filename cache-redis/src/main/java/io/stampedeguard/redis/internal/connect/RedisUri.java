package io.stampedeguard.redis.internal.connect;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * The parts of {@code redis[s]://[user:password@]host[:port][/database]}. No message repeats a part of the text: if it is
 * malformed, any part may be the password. <em>Immutable.</em>
 */
public final class RedisUri {
    private static final int DEFAULT_PORT = 6379;
    private static final Pattern AUTHORITY = Pattern.compile(
            "(?:(?<user>[^:@]*):(?<password>[^@]*)@)?(?<host>\\[[0-9a-fA-F:.%]+]|[^:@\\[\\]]+)(?::(?<port>\\d{1,5}))?");
    private static final Pattern PATH = Pattern.compile("/?|/(?<database>\\d{1,9})");
    private static final Pattern ENCODED =
            Pattern.compile("(?:[^\\x00-\\x20\\x7f%/?#\\[\\]@\"<>\\\\^`{|}]|%[0-9a-fA-F]{2})*");
    private static final Pattern WITHOUT_HOST = Pattern.compile("(?i)rediss?:(//(/.*)?)?");

    private final boolean tls;
    private final HostAndPort address;
    private final @Nullable String user;
    private final @Nullable String password;
    private final int database;

    private RedisUri(boolean tls, Matcher authority, @Nullable String database) {
        this.tls = tls;
        this.address = address(authority.group("host"), authority.group("port"));
        this.user = decoded(authority.group("user"));
        this.password = decoded(authority.group("password"));
        this.database = database == null ? 0 : Integer.parseInt(database);
    }

    public static RedisUri parse(String text) {
        requireNonNull(text, "uri");
        require(!WITHOUT_HOST.matcher(text).matches(), "it names no host");
        URI uri = uri(text);
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        require(scheme.equals("redis") || scheme.equals("rediss"), "the scheme is neither redis:// nor rediss://");
        require(uri.getRawQuery() == null && uri.getRawFragment() == null, "it has a query or a fragment");
        Matcher authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
        require(uri.getRawAuthority() != null && authority.matches(), "user info, host or port are malformed");
        require(
                decoded(authority.group("user")) == null || decoded(authority.group("password")) != null,
                "it names a user without a password, which would be treated as the default user");
        Matcher path = PATH.matcher(String.valueOf(uri.getRawPath()));
        require(path.matches(), "the database after the host is not a number");
        return new RedisUri(scheme.equals("rediss"), authority, path.group("database"));
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            // Not as the cause: its message repeats the text.
            int start = text.indexOf("//") + 2;
            int end = text.lastIndexOf('@');
            throw malformed(
                    end < start || ENCODED.matcher(text.substring(start, end)).matches()
                            ? "the host, or what follows it, has a character that is not permitted, or an open bracket"
                            : "special characters in user or password must be percent-encoded");
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw malformed(otherwise);
        }
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "not a Redis URI: " + why + "; expected redis://[user:password@]host[:port][/database]");
    }

    boolean tls() {
        return tls;
    }

    public HostAndPort address() {
        return address;
    }

    /** Returns the address for messages: of a host that is no plain text, the rest is escaped; IPv6 is in brackets. */
    public String shownAddress() {
        String host = KeyEncoder.printable(address.getHost());
        return (host.indexOf(':') == -1 ? host : '[' + host + ']') + ':' + address.getPort();
    }

    @Nullable
    public String user() {
        return user;
    }

    @Nullable
    public String password() {
        return password;
    }

    int database() {
        return database;
    }

    private static HostAndPort address(String host, @Nullable String port) {
        int number = port == null ? DEFAULT_PORT : Integer.parseInt(port);
        require(number > 0 && number <= 65_535, "the port is not between 1 and 65535");
        return new HostAndPort(host.replace("[", "").replace("]", ""), number);
    }

    private static @Nullable String decoded(@Nullable String raw) {
        return raw == null || raw.isEmpty() ? null : URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + shownAddress() + "/" + database;
    }
}
