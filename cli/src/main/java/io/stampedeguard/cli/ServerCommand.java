package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;
import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.testbed.program.JsonObject;
import io.stampedeguard.testbed.program.Version;
import io.stampedeguard.testbed.program.WrongOptionException;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisCredentials;

/** A command on one server, or on its cluster. Filled by picocli, then for one thread. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
abstract class ServerCommand implements Callable<Integer> {
    /** An exit code; 2 is that of a wrong option. */
    static final int DONE = 0;

    static final int NOT_THERE = 1;

    private static final String LOCAL = "redis://127.0.0.1:6379";
    private static final Pattern BRACE = Pattern.compile("[{}]");
    private static final Pattern CACHE_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    @Option(
            names = "--redis",
            paramLabel = "URI",
            defaultValue = "${env:STAMPEDE_REDIS:-" + LOCAL + "}",
            description =
                    "Where Redis is, as for a store: redis://[user:password@]host[:port][/database], redis-cluster://..., or"
                            + " redis-sentinel://.../master; rediss for TLS; several hosts separated by commas. With redis://, a member"
                            + " stands for its cluster, a Sentinel for its only master. With a password, prefer the variable"
                            + " STAMPEDE_REDIS. Default: " + LOCAL + ".")
    private String redis = "";

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description =
                    "The key prefix of the stores, if they have one (RedisStoreOptions.keyPrefix); with Spring Boot, by default"
                            + " spring.application.name and a colon. With another one, nothing is found.")
    private String prefix = "";

    @Option(
            names = "--sentinel-auth",
            paramLabel = "[USER:]PASSWORD",
            defaultValue = "${env:STAMPEDE_SENTINEL_AUTH:-}",
            description = "What the Sentinels require; prefer the variable STAMPEDE_SENTINEL_AUTH.")
    private String sentinelAuth = "";

    @Option(
            names = "--any-hostname",
            description = "With rediss, accept any trusted certificate, like verifyHostname(false) of a store.")
    private boolean anyHostname;

    @Option(names = "--json", description = "Print only JSON, one object per line.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public final Integer call() {
        requireRightOptions();
        try (Server server = connect()) {
            return run(server);
        }
    }

    /** Checks the command's own options by {@link WrongOptionException#require}, before it connects. */
    abstract void requireRightOptions();

    /** Runs the command, prints the result, and returns the exit code. */
    abstract int run(Server server);

    /** Connects, and checks that a server answers. */
    private Server connect() {
        require(
                !BRACE.matcher(prefix).find(),
                () -> "--prefix " + KeyEncoder.shown(prefix) + " contains a brace, which no keyPrefix of a store does");
        return Server.connect(uri(), new Server.Access(ofSentinels(), !anyHostname), prefix);
    }

    private RedisUri uri() {
        boolean isUnset = redis.isEmpty() && !isGiven(); // an empty variable
        try {
            return RedisUri.parse(isUnset ? LOCAL : redis);
        } catch (IllegalArgumentException malformed) {
            throw new WrongOptionException(option() + " is " + malformed.getMessage());
        }
    }

    private @Nullable RedisCredentials ofSentinels() {
        int colon = sentinelAuth.indexOf(':');
        String user = colon == -1 ? null : sentinelAuth.substring(0, colon);
        return sentinelAuth.isEmpty() ? null : new DefaultRedisCredentials(user, sentinelAuth.substring(colon + 1));
    }

    /** Returns where the address comes from, as the user has given it. */
    private String option() {
        return isGiven() ? "--redis" : "STAMPEDE_REDIS";
    }

    private boolean isGiven() {
        return requireNonNull(spec).commandLine().getParseResult().hasMatchedOption("--redis");
    }

    static void requireCacheName(String option, String name) {
        require(isCacheName(name), () -> option + " " + KeyEncoder.shown(name) + " is not a valid cache name");
    }

    static boolean isCacheName(String name) {
        return CACHE_NAME.matcher(name).matches();
    }

    final boolean isJson() {
        return json;
    }

    final void tell(String text, JsonObject json) {
        tell(isJson() ? json : text);
    }

    final void tell(Object line) {
        requireNonNull(spec).commandLine().getOut().println(line);
    }

    /** Prints on standard error that the output may not be everything. */
    final void warn(String line) {
        requireNonNull(spec).commandLine().getErr().println(line);
    }
}
