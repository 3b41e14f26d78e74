package io.stampedeguard.cli;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.testbed.program.RedisAddress;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The Redis server of a command. Filled by picocli, then only read. */
final class ServerOptions {
    private static final Pattern BRACE = Pattern.compile("[{}]");

    @Option(
            names = "--redis",
            paramLabel = "URI",
            defaultValue = "${env:STAMPEDE_REDIS:-redis://127.0.0.1:6379}",
            description =
                    "The Redis server, redis[s]://[user:password@]host[:port][/database]; for a cluster, any member; a"
                            + " Sentinel stands for its master. If it has a password, prefer the environment variable STAMPEDE_REDIS. Default:"
                            + " redis://127.0.0.1:6379.")
    private String redis = "";

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "The key prefix of the stores, if they have one (RedisStoreOptions.keyPrefix).")
    private String prefix = "";

    @Option(names = "--json", description = "Print only JSON, one object per line.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    boolean json() {
        return json;
    }

    /** Connects, and checks that a server answers. */
    Server connect() {
        URI address = RedisAddress.parse(redis);
        if (address == null) {
            throw wrong(option() + " " + KeyEncoder.shown(RedisAddress.withoutCredentials(redis))
                    + RedisAddress.complaint(redis));
        }
        if (BRACE.matcher(prefix).find()) {
            throw wrong(
                    "--prefix " + KeyEncoder.shown(prefix) + " contains a brace, which no keyPrefix of a store does");
        }
        return Server.connect(address, prefix);
    }

    /** Returns where the address comes from, as the user has given it. */
    private String option() {
        return requireNonNull(spec).commandLine().getParseResult().hasMatchedOption("--redis")
                ? "--redis"
                : "STAMPEDE_REDIS";
    }

    private ParameterException wrong(String complaint) {
        return new ParameterException(requireNonNull(spec).commandLine(), complaint);
    }
}
