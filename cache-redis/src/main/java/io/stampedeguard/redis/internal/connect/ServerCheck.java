package io.stampedeguard.redis.internal.connect;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.CallbackLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The check of the server's version, mode, and eviction policy, by one {@code INFO}, and of the user's permissions, by {@code
 * rights.lua}. What the server does not answer, for instance because the user lacks the permission for {@code INFO}, is not
 * checked. On a cluster, one master is queried. <em>Thread-safe.</em>
 */
public final class ServerCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private final String where;
    private final Function<byte[], CommandArguments> rights;
    private final Runnable onCluster;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile boolean hasInfo;

    /**
     * Creates a check; {@code rights} asks for the permissions that are missing for a key, and {@code onCluster} is called if the
     * server is in cluster mode.
     */
    public ServerCheck(String where, Function<byte[], CommandArguments> rights, Runnable onCluster) {
        this.where = where;
        this.rights = rights;
        this.onCluster = onCluster;
    }

    /**
     * Checks now, and logs a warning if the eviction policy is harmful, or permissions are missing. A user who may not access the
     * {@code key} is checked again with the key of a change ({@link #begin}). Returns why the server cannot be used, {@code null}
     * if it can; throws a {@link io.stampedeguard.loader.StoreException} if it does not answer.
     */
    @Nullable
    public String complaint(byte[] key, Function<CommandArguments, @Nullable Object> server) {
        try {
            MissingRights missing = MissingRights.in(answer(server, rights.apply(key)));
            if (missing != null) {
                over.set(true);
                missing.warn(where);
            }
            return hasInfo ? null : complaint(info(server));
        } catch (RuntimeException failure) {
            throw RedisFailure.toStoreException("read the server's version", where, failure);
        }
    }

    /**
     * Returns the permissions that are missing, as the end of a sentence about a refusal; empty if none is, or if that is unknown.
     * Blocks; does not throw.
     */
    public String missingRights(byte[] key, Function<CommandArguments, @Nullable Object> server) {
        try {
            MissingRights missing = MissingRights.in(answer(server, rights.apply(key)));
            return missing == null || missing.commands().isEmpty()
                    ? ""
                    : "; the user may not call " + missing.names() + ": permit " + missing.rules();
        } catch (RuntimeException unknown) {
            CallbackLog.debug(LOG, "Could not determine the permissions of the user" + where, unknown);
            return "";
        }
    }

    private @Nullable String complaint(String info) {
        hasInfo = true;
        if (info.contains("cluster_enabled:1")) {
            onCluster.run();
        }
        ServerVersion version = ServerVersion.in(info);
        if (version != null && version.isTooOld()) {
            return version.complaint(where);
        }
        EvictionPolicy eviction = EvictionPolicy.in(info);
        if (eviction != null && eviction.isHarmful()) {
            LOG.warn("{}", eviction.advice(where));
        }
        return null;
    }

    /** Returns whether the check is still to be made; true for one caller only, which then calls {@link #warn}. */
    public boolean begin() {
        return !over.get() && over.compareAndSet(false, true);
    }

    /** Checks now, and logs warnings about the server, which has answered another command. Blocks; does not throw. */
    public void warn(byte[] key, Function<CommandArguments, @Nullable Object> server) {
        try {
            String complaint = complaint(key, server);
            if (complaint != null) {
                LOG.warn("Unsupported Redis version: {}", complaint);
            }
        } catch (RuntimeException unknown) {
            CallbackLog.debug(LOG, "Could not determine the version of the server" + where, unknown);
        }
    }

    /** Returns all sections, since Redis 6.2 accepts only one as an argument; empty if refused. */
    private String info(Function<CommandArguments, @Nullable Object> server) {
        return answer(server, new CommandArguments(Protocol.Command.INFO)) instanceof byte[] text
                ? new String(text, StandardCharsets.UTF_8)
                : "";
    }

    /** Returns the answer to a question, or the refusal. */
    private @Nullable Object answer(Function<CommandArguments, @Nullable Object> server, CommandArguments question) {
        try {
            return server.apply(question);
        } catch (JedisDataException refused) {
            CallbackLog.debug(LOG, "The server" + where + " does not answer " + question.getCommand(), refused);
            return refused;
        }
    }

    /** The commands that a cache needs and its user may not call. <em>Immutable.</em> */
    public record MissingRights(List<String> commands) {
        /** Returns what is missing by the answer of {@code rights.lua}, or its refusal; {@code null} if that is unknown. */
        public static @Nullable MissingRights in(@Nullable Object answer) {
            if (answer instanceof JedisAccessControlException) {
                return new MissingRights(List.of("EVAL"));
            }
            return answer instanceof List<?> names
                    ? new MissingRights(names.stream()
                            .map(name -> KeyEncoder.printable(new String((byte[]) name, StandardCharsets.UTF_8)))
                            .toList())
                    : null;
        }

        /** Logs a warning, unless nothing is missing: an answer that is degraded is better than none. */
        void warn(String where) {
            if (!commands.isEmpty()) {
                LOG.warn(
                        "The user of Redis{} may not call {}: what needs it is refused, so that keys are loaded more often and"
                                + " changes are late; permit {}",
                        where,
                        names(),
                        rules());
            }
        }

        public String names() {
            return String.join(", ", commands);
        }

        /** Returns the rules of an ACL that permit the commands. */
        public String rules() {
            return commands.stream()
                    .map(name -> "+" + name.toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(" "));
        }
    }

    /** The {@code maxmemory-policy}: how a server with bounded memory evicts keys when it is full. <em>Immutable.</em> */
    public record EvictionPolicy(String name) {
        private static final Pattern BOUND = Pattern.compile("^maxmemory:[1-9]", Pattern.MULTILINE);
        private static final Pattern NAME = Pattern.compile("^maxmemory_policy:(\\S+)", Pattern.MULTILINE);

        /** Returns the policy in the answer to {@code INFO}; {@code null} if memory is not bounded, or that is unknown. */
        public static @Nullable EvictionPolicy in(String info) {
            Matcher name = NAME.matcher(info);
            return BOUND.matcher(info).find() && name.find() ? new EvictionPolicy(name.group(1)) : null;
        }

        /** Returns whether leases are evicted although entries have been unused for longer. */
        public boolean isHarmful() {
            return evicts() != null;
        }

        /** Returns why the policy is harmful, and which one to set instead. */
        public String advice(String where) {
            return "the server" + where + " has maxmemory-policy " + name + ": when its memory is full, it evicts "
                    + evicts()
                    + ", and keys are loaded more than once at the same time; set volatile-lru, or allkeys-lru if no"
                    + " RedisKeyFilter is kept there";
        }

        private @Nullable String evicts() {
            return switch (name) {
                case "volatile-ttl" -> "leases before entries, since they have the shortest TTL";
                case "volatile-lfu", "allkeys-lfu" ->
                    "leases before entries that are read often, since a new key counts as seldom used";
                case "volatile-random", "allkeys-random" -> "leases as readily as entries";
                default -> null;
            };
        }
    }

    /** The version of a server, and its text as the server reports it. <em>Immutable.</em> */
    public record ServerVersion(int major, int minor, String text) {
        private static final int NEEDED_MAJOR = 6;
        private static final int NEEDED_MINOR = 2;

        /** The requirement, for the end of a sentence. */
        static final String NEEDED = NEEDED_MAJOR + "." + NEEDED_MINOR + " or newer is needed";

        /** Servers with another name, such as Valkey, report the compatible version in the same field. */
        private static final Pattern VERSION =
                Pattern.compile("^redis_version:((\\d{1,4})\\.(\\d{1,4})\\S*)", Pattern.MULTILINE);

        /** Returns the version in the answer to {@code INFO}; {@code null} if there is none in a known format. */
        public static @Nullable ServerVersion in(String info) {
            Matcher found = VERSION.matcher(info);
            return found.find()
                    ? new ServerVersion(
                            Integer.parseInt(found.group(2)),
                            Integer.parseInt(found.group(3)),
                            KeyEncoder.printable(found.group(1)))
                    : null;
        }

        public boolean isTooOld() {
            return major < NEEDED_MAJOR || (major == NEEDED_MAJOR && minor < NEEDED_MINOR);
        }

        public String complaint(String where) {
            return "the server" + where + " is Redis " + text + ", but " + NEEDED;
        }
    }
}
