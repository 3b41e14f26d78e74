package io.stampedeguard.redis.internal.connect;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * Where Redis is, and as whom to connect: the parts of a URI in one of the forms of {@link Kind}. A message about a malformed one
 * repeats a scheme, a port, or a database, and nothing else: any other part may be the password. <em>Immutable.</em>
 */
public final class RedisUri {
    private static final Pattern SCHEME = Pattern.compile("(?is)(redis|rediss)(-sentinel|-cluster)?:.*");
    private static final Pattern OTHER_SCHEME = Pattern.compile("(?s)([a-zA-Z][-+.a-zA-Z0-9]*)://.*");
    private static final Pattern SEVERAL = Pattern.compile("(?s)[^:]*://(?<user>(?:[^/?#]*@)?)(?<hosts>[^/?#]*)"
            + "(?:/(?<master>(?:[^/?#@%]|%[0-9a-fA-F]{2})+)(?=[/?#]|$))?(?<rest>.*)");
    private static final Pattern AUTHORITY = Pattern.compile(
            "(?:(?<user>[^:@]*):(?<password>[^@]*)@)?(?<host>\\[[0-9a-fA-F:.%]+]|[^:@\\[\\]]+)(?::(?<port>\\d{1,5}))?");
    private static final Pattern PATH = Pattern.compile("/?|/(?<database>\\d{1,9})");
    private static final Pattern ENCODED =
            Pattern.compile("(?:[^\\x00-\\x20\\x7f%/?#\\[\\]@\"<>\\\\^`{|}]|%[0-9a-fA-F]{2})*");
    private static final Pattern WITHOUT_HOST = Pattern.compile("(?i)rediss?:(//(/.*)?)?");

    private final Kind kind;
    private final boolean tls;
    private final @Nullable String master;
    private final List<Server> servers;

    private RedisUri(Kind kind, boolean tls, @Nullable String master, List<Server> servers) {
        this.kind = kind;
        this.tls = tls;
        this.master = master;
        this.servers = servers;
    }

    /** What the addresses of a URI are: the server, Sentinels, which know its address, or members of a cluster, which know the others. */
    public enum Kind {
        SERVER("", 6_379, "host[:port][/database]"),
        SENTINEL("-sentinel", 26_379, "host[:port][,host[:port]...]/master[/database]"),
        CLUSTER("-cluster", 6_379, "host[:port][,host[:port]...]");

        private final String suffix;
        private final int defaultPort;
        private final String form;

        Kind(String suffix, int defaultPort, String form) {
            this.suffix = suffix;
            this.defaultPort = defaultPort;
            this.form = form;
        }

        static Kind of(@Nullable String suffix) {
            return suffix == null ? SERVER : suffix.equalsIgnoreCase(SENTINEL.suffix) ? SENTINEL : CLUSTER;
        }

        void require(boolean holds, String otherwise) {
            if (!holds) {
                throw malformed(otherwise);
            }
        }

        IllegalArgumentException malformed(String why) {
            return new IllegalArgumentException(
                    "not a Redis URI: " + why + "; expected redis" + suffix + "://[user:password@]" + form);
        }
    }

    public static RedisUri parse(String text) {
        requireNonNull(text, "uri");
        Matcher scheme = SCHEME.matcher(text);
        if (!scheme.matches()) {
            Matcher other = OTHER_SCHEME.matcher(text);
            throw Kind.SERVER.malformed("the scheme " + (other.matches() ? "'" + other.group(1) + "' " : "")
                    + "is neither redis, redis-sentinel, nor redis-cluster, with rediss for TLS in each");
        }
        boolean tls = scheme.group(1).length() > "redis".length();
        Kind kind = Kind.of(scheme.group(2));
        return kind == Kind.SERVER
                ? new RedisUri(kind, tls, null, List.of(Server.parse(kind, text)))
                : several(kind, tls, text);
    }

    /** Reads each of several addresses like the URI of a server, with the same user info and the same database. */
    private static RedisUri several(Kind kind, boolean tls, String text) {
        Matcher parts = SEVERAL.matcher(text);
        kind.require(parts.matches(), "it names no host");
        String master = decoded(parts.group("master"));
        kind.require(kind == Kind.CLUSTER || master != null, "it names no master after the addresses");
        kind.require(kind == Kind.SENTINEL || master == null, "a cluster has no databases");
        List<Server> servers = new ArrayList<>();
        for (String address : parts.group("hosts").split(",", -1)) {
            kind.require(!address.isEmpty(), "a host is missing before or after a comma");
            servers.add(Server.parse(kind, "redis://" + parts.group("user") + address + parts.group("rest")));
        }
        return new RedisUri(kind, tls, master, servers);
    }

    /** One address, and as whom to connect to it. */
    private record Server(
            HostAndPort address,
            @Nullable String user,
            @Nullable String password,
            int database) {
        static Server parse(Kind kind, String text) {
            kind.require(!WITHOUT_HOST.matcher(text).matches(), "it names no host");
            URI uri = uri(kind, text);
            kind.require(uri.getRawQuery() == null && uri.getRawFragment() == null, "it has a query or a fragment");
            Matcher authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
            kind.require(uri.getRawAuthority() != null && authority.matches(), "user info, host or port are malformed");
            String user = decoded(authority.group("user"));
            String password = decoded(authority.group("password"));
            kind.require(
                    user == null || password != null,
                    "it names a user without a password, which would be treated as the default user");
            Matcher path = PATH.matcher(String.valueOf(uri.getRawPath()));
            kind.require(path.matches(), "the database " + shownPath(uri) + "after the host is not a number");
            String database = path.group("database");
            String port = authority.group("port");
            int number = port == null ? kind.defaultPort : Integer.parseInt(port);
            kind.require(number > 0 && number <= 65_535, "the port " + number + " is not between 1 and 65535");
            String host = authority.group("host").replace("[", "").replace("]", "");
            return new Server(
                    new HostAndPort(host, number), user, password, database == null ? 0 : Integer.parseInt(database));
        }

        /** With a slash in the password, the path is the end of the password. */
        private static String shownPath(URI uri) {
            String path = uri.getRawPath();
            return path.indexOf('@') == -1 ? "'" + KeyEncoder.printable(path) + "' " : "";
        }

        private static URI uri(Kind kind, String text) {
            try {
                return new URI(text);
            } catch (URISyntaxException e) {
                // Not as the cause: its message repeats the text.
                int start = text.indexOf("//") + 2;
                int end = text.lastIndexOf('@');
                throw kind.malformed(
                        end < start
                                        || ENCODED.matcher(text.substring(start, end))
                                                .matches()
                                ? "the host, or what follows it, has a character that is not permitted, or an open bracket"
                                : "special characters in user or password must be percent-encoded");
            }
        }
    }

    private static @Nullable String decoded(@Nullable String raw) {
        return raw == null || raw.isEmpty() ? null : URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns the URI of the cluster that this server is a member of. */
    public RedisUri asCluster() {
        return new RedisUri(Kind.CLUSTER, tls, null, servers);
    }

    /** Returns the URI of a master that this server, a Sentinel, watches. */
    public RedisUri asSentinel(String watched) {
        return new RedisUri(Kind.SENTINEL, tls, watched, servers);
    }

    public Kind kind() {
        return kind;
    }

    public boolean tls() {
        return tls;
    }

    /** Returns the address of the server, or the first one of several. */
    public HostAndPort address() {
        return servers.get(0).address;
    }

    Set<HostAndPort> addresses() {
        return servers.stream().map(Server::address).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the name by which Sentinels know the master. */
    public String master() {
        return requireNonNull(master);
    }

    /** Returns the place for messages: of a name that is no plain text, the rest is escaped; IPv6 is in brackets. */
    public String shownAddress() {
        return switch (kind) {
            case SERVER -> shownAddresses();
            case SENTINEL -> "master '" + KeyEncoder.printable(master()) + "' of the Sentinels " + shownAddresses();
            case CLUSTER -> "cluster " + shownAddresses();
        };
    }

    private String shownAddresses() {
        return addresses().stream().map(RedisUri::shown).collect(Collectors.joining(","));
    }

    private static String shown(HostAndPort address) {
        String host = KeyEncoder.printable(address.getHost());
        return (host.indexOf(':') == -1 ? host : '[' + host + ']') + ':' + address.getPort();
    }

    @Nullable
    public String user() {
        return servers.get(0).user;
    }

    @Nullable
    public String password() {
        return servers.get(0).password;
    }

    int database() {
        return servers.get(0).database;
    }
}
