package io.stampedeguard.simulation;

import static io.stampedeguard.testbed.program.WrongOptionException.require;
import static io.stampedeguard.testbed.program.WrongOptionException.requireFrom;
import static io.stampedeguard.testbed.program.WrongOptionException.requireKnown;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code ./stampede simulate}. Filled by picocli, then checked, then only read. */
final class SimulateOptions {
    private static final int MOST_PROCESSES = 10_000;
    private static final int MOST_KEYS = 1_000_000;
    private static final int MOST_CALLERS = 1_000;
    private static final int MOST_READS = 100_000;
    private static final int MOST_MILLIS = 600_000;
    private static final int MOST_MICROS = 1_000_000;

    @Option(
            names = "--scenarios",
            split = ",",
            paramLabel = "NAMES",
            hideParamSyntax = true,
            description = "Only these: cold, expiry, zipf, restart (default: all).")
    private List<String> scenarios = List.of();

    @Option(
            names = "--processes",
            split = ",",
            paramLabel = "N",
            hideParamSyntax = true,
            description = "Numbers of processes, 1 to 10,000 (default: 10,100,1000).")
    private List<Integer> processes = List.of(10, 100, 1_000);

    @Option(
            names = "--keys",
            split = ",",
            paramLabel = "N",
            hideParamSyntax = true,
            description = "Numbers of keys in zipf and restart, 1 to 1,000,000 (default: 10000).")
    private List<Integer> keys = List.of(10_000);

    @Option(
            names = "--callers",
            paramLabel = "N",
            description = "Callers in each process that read a cold key at one instant, 1 to 1,000 (default: 1).")
    private int callers = 1;

    @Option(
            names = "--reads",
            paramLabel = "N",
            description = "Reads in each process, per second, 1 to 100,000 (default: 10).")
    private int reads = 10;

    @Option(
            names = "--ttl",
            paramLabel = "MS",
            description = "Soft TTL, 10 to 600,000 ms (default: 2000); entries are served stale for as long again.")
    private int ttl = 2_000;

    @Option(
            names = "--load",
            paramLabel = "MS",
            description =
                    "Mean duration of a load, 1 to 600,000 ms (default: 100); evenly distributed from ½ to 1½ of it.")
    private int load = 100;

    @Option(
            names = "--round-trip",
            paramLabel = "US",
            description = "Network time to Redis and back, 1 to 1,000,000 µs (default: 300).")
    private int roundTrip = 300;

    @Option(
            names = "--seeds",
            split = ",",
            paramLabel = "N",
            hideParamSyntax = true,
            description = "Seeds of the random numbers; one run for each (default: 1). Equal seeds give equal results.")
    private List<Long> seeds = List.of(1L);

    @Option(names = "--json", description = "Print one JSON object per line on standard output, nothing else.")
    private boolean json;

    @Option(
            names = "--plots",
            paramLabel = "DIRECTORY",
            description = "Write an SVG picture for each scenario, SCENARIO.svg, into this directory.")
    private @Nullable Path plots;

    void check() {
        requireKnown("--scenarios", scenarios, Scenario.options());
        processes.forEach(each -> requireFrom(1, MOST_PROCESSES, "--processes", each));
        keys.forEach(each -> requireFrom(1, MOST_KEYS, "--keys", each));
        requireFrom(1, MOST_CALLERS, "--callers", callers);
        requireFrom(1, MOST_READS, "--reads", reads);
        requireFrom(10, MOST_MILLIS, "--ttl", ttl);
        requireFrom(1, MOST_MILLIS, "--load", load);
        requireFrom(1, MOST_MICROS, "--round-trip", roundTrip);
        require(plots == null || canBeDirectory(plots), () -> "--plots %s is not a directory".formatted(plots));
    }

    private static boolean canBeDirectory(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        return Files.notExists(path) ? parent == null || canBeDirectory(parent) : Files.isDirectory(path);
    }

    /** Returns the requested runs, scenario by scenario. */
    List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (Scenario scenario : scenarios()) {
            for (int ofKeys : scenario.hasManyKeys() ? keys : List.of(1)) {
                for (int ofProcesses : processes) {
                    seeds.forEach(seed -> settings.add(setting(scenario, ofProcesses, ofKeys, seed)));
                }
            }
        }
        return settings;
    }

    private List<Scenario> scenarios() {
        List<Scenario> all = List.of(Scenario.values());
        return scenarios.isEmpty()
                ? all
                : all.stream()
                        .filter(scenario -> scenarios.contains(scenario.option()))
                        .toList();
    }

    private Setting setting(Scenario scenario, int ofProcesses, int ofKeys, long seed) {
        return new Setting(
                scenario,
                ofProcesses,
                ofKeys,
                callers,
                reads,
                Duration.ofMillis(ttl),
                Duration.ofMillis(load),
                Duration.ofNanos(1_000L * roundTrip),
                seed);
    }

    boolean json() {
        return json;
    }

    @Nullable
    Path plots() {
        return plots;
    }
}
