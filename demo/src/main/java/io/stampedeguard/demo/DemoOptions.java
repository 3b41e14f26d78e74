package io.stampedeguard.demo;

import static io.stampedeguard.testbed.program.WrongOptionException.require;
import static io.stampedeguard.testbed.program.WrongOptionException.requireFrom;
import static io.stampedeguard.testbed.program.WrongOptionException.requireInDirectory;
import static io.stampedeguard.testbed.program.WrongOptionException.requireKnown;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.scenario.ColdScenario;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.demo.scenario.Scenarios;
import io.stampedeguard.redis.internal.connect.RedisUri;
import io.stampedeguard.testbed.program.WrongOptionException;
import io.stampedeguard.testbed.trace.TraceFile;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code ./stampede demo}. Filled by picocli, then checked, then only read. */
final class DemoOptions {
    private static final int CALLERS = 64;
    private static final int QUICK_CALLERS = 32;
    private static final int QUICK_MILLIS = 1_050;
    private static final int QUICK_REQUESTS = 6_000;
    private static final int QUICK_ORDER_LINES = 12_000;
    private static final int SECONDS = 10;
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int ORDER_LINES = 40_000;
    private static final int REQUESTS = 500_000;

    @Option(names = "--quick", description = "A short run: fewer rows, 1.05 s of load.")
    private boolean quick;

    @Option(names = "--verbose", description = "All figures, also of more modes.")
    private boolean verbose;

    @Option(names = "--json", description = "The same as one JSON object per line, nothing else.")
    private boolean json;

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAMES",
            hideParamSyntax = true,
            description = "Only these, such as cold,crash.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--mode",
            split = ",",
            paramLabel = "MODES",
            hideParamSyntax = true,
            description = "Only these: plain, plain-bounded, guarded, guarded-near, guarded-filter.")
    private List<Mode> modes = List.of();

    @Option(names = "--processes", paramLabel = "N", description = "Processes of the fleet, 1 to 64 (default: 4).")
    private int processes = 4;

    @Option(names = "--callers", paramLabel = "N", description = "In each process, 1 to 1000 (64; quick: 32).")
    private @Nullable Integer callers;

    @Option(names = "--seconds", paramLabel = "N", description = "Of steady load, 1 to 3600 (default: 10).")
    private @Nullable Integer seconds;

    @Option(names = "--redis", paramLabel = "URI", description = "Use this Redis (default: one of its own).")
    private @Nullable String redis;

    @Option(names = "--jdbc-url", paramLabel = "URL", description = "Use this database; its driver: CLASSPATH.")
    private @Nullable String jdbcUrl;

    @Option(names = "--jdbc-user", paramLabel = "USER", description = "Its user.")
    private String jdbcUser = "";

    @Option(
            names = "--jdbc-password",
            paramLabel = "WORD",
            defaultValue = "${env:STAMPEDE_JDBC_PASSWORD:-}",
            description = "Its password; rather set STAMPEDE_JDBC_PASSWORD.")
    private String jdbcPassword = "";

    @Option(names = "--trace", paramLabel = "FILE.xz", description = "Replay this: big-endian 32-bit keys.")
    private @Nullable Path trace;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of catalogue, trace and pauses (default: 1).")
    private long seed = 1;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw scenario cold into this file.")
    private @Nullable Path svg;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            defaultValue = "${sys:stampede.log}",
            description = "Warnings go here (demo/target/demo.log).")
    private @Nullable Path log;

    void check() {
        requireFrom(1, 64, "--processes", processes);
        requireFrom(1, 1_000, "--callers", callers());
        requireFrom(1, 3_600, "--seconds", seconds());
        requireKnown("--scenario", scenarios, Scenarios.names());
        require(
                phases() > 0,
                () -> "--mode %s is only for scenario %s: include that scenario"
                        .formatted(modes.get(0), only(modes.get(0))));
        if (redis != null) {
            requireServer(redis);
        }
        require(jdbcUrl == null || jdbcUrl.startsWith("jdbc:"), () -> "--jdbc-url expects jdbc:…");
        require(jdbcUrl != null || jdbcUser.isEmpty(), () -> "--jdbc-user needs --jdbc-url");
        require(trace == null || TraceFile.looksRight(trace), () -> "--trace " + trace + " is not a readable xz file");
        if (svg != null) {
            require(drawsBothModes(), () -> "--svg draws scenario cold in modes plain and guarded: include them");
            requireInDirectory("--svg", svg);
        }
    }

    /** Sentinels and clusters are not supported: the demo stops its server, and counts the commands of one. */
    private static void requireServer(String uri) {
        try {
            require(
                    RedisUri.parse(uri).kind() == RedisUri.Kind.SERVER,
                    () ->
                            "--redis is not the URI of a single server: expected redis://[user:password@]host[:port][/database]");
        } catch (IllegalArgumentException malformed) {
            throw new WrongOptionException("--redis is " + malformed.getMessage());
        }
    }

    private static String only(Mode mode) {
        return Scenarios.ALL.stream()
                .filter(scenario -> scenario.modes().contains(mode))
                .map(Scenario::name)
                .collect(Collectors.joining(", "));
    }

    private int phases() {
        return scenarios().stream().mapToInt(scenario -> modes(scenario).size()).sum();
    }

    private boolean drawsBothModes() {
        return scenarios().stream()
                .anyMatch(scenario ->
                        scenario instanceof ColdScenario && modes(scenario).size() == 2);
    }

    Plan plan() {
        return new Plan(
                processes,
                callers(),
                seconds == null && quick ? QUICK_MILLIS : MILLIS_PER_SECOND * seconds(),
                seed,
                quick ? QUICK_ORDER_LINES : ORDER_LINES,
                quick ? QUICK_REQUESTS : REQUESTS,
                trace == null ? null : trace.toAbsolutePath());
    }

    private int callers() {
        if (callers != null) {
            return callers;
        }
        return quick ? QUICK_CALLERS : CALLERS;
    }

    List<Scenario> scenarios() {
        return Scenarios.ALL.stream()
                .filter(scenario -> scenarios.isEmpty() || scenarios.contains(scenario.name()))
                .toList();
    }

    int crashes() {
        return scenarios().stream()
                .filter(Scenario::crashes)
                .mapToInt(scenario -> modes(scenario).size())
                .sum();
    }

    List<Mode> modes(Scenario scenario) {
        return scenario.modes().stream()
                .filter(mode -> modes.isEmpty() ? isShown(scenario, mode) : modes.contains(mode))
                .toList();
    }

    private boolean isShown(Scenario scenario, Mode mode) {
        return verbose || json || mode == Mode.PLAIN || mode == scenario.guard();
    }

    @Nullable
    DatabaseAddress database() {
        return jdbcUrl == null ? null : new DatabaseAddress(jdbcUrl, jdbcUser, jdbcPassword);
    }

    @Nullable
    String redis() {
        return redis;
    }

    boolean json() {
        return json;
    }

    boolean verbose() {
        return verbose && !json;
    }

    @Nullable
    Path log() {
        return log;
    }

    @Nullable
    Path svg() {
        return svg;
    }

    private int seconds() {
        return seconds != null ? seconds : SECONDS;
    }
}
