package io.stampedeguard.benchmarks.bench;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.report.Format;
import io.stampedeguard.benchmarks.report.Report;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.workload.Site;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workloads;
import io.stampedeguard.testbed.program.Progress;
import io.stampedeguard.testbed.program.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code ./stampede bench}: runs each workload with each peer, in turns, and shows the results. */
@Command(
        name = "./stampede bench",
        customSynopsis = "Usage: ./stampede bench [OPTIONS]",
        synopsisHeading = "",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Compares caches under difficult load, with real processes on a real Redis.",
        description = {
            "",
            "Starts a Redis without persistence and four JVMs, and runs the peers in them in turns, round by round.",
            "",
            "The comparable figure is the ratio in the same run, on an otherwise idle machine. The figures are"
                    + " explained in docs/workloads.md.",
            ""
        })
final class BenchCommand implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--list", description = "List the workloads and the peers, and exit.")
    private boolean list;

    @Spec
    private @Nullable CommandSpec spec;

    private final Map<String, Results> results = new LinkedHashMap<>();
    private final Progress progress = new Progress(System.err, Boolean.getBoolean("stampede.terminal"));

    @Override
    public Integer call() throws Exception {
        if (list) {
            PrintWriter out = requireNonNull(spec).commandLine().getOut();
            Workloads.ALL.forEach(workload -> out.printf("%-4s  %s%n", workload.name(), workload.about()));
            out.printf("%nPeers; those from lettuce on are built on request:%n");
            Peers.names().forEach(out::println);
            return 0;
        }
        options.check();
        progress.now("starting Redis and the processes");
        try (Site site = Site.start(options.effort().purpose())) {
            Map<String, String> facts = Facts.of(commandLine(), site.redisDescription());
            for (Workload workload : options.workloads()) {
                Results ofWorkload = new BenchRun(site, workload, options, progress, this::take).run();
                results.put(workload.name(), ofWorkload);
                if (!options.json()) {
                    System.out.println(MedianTable.of(Report.Section.of(workload, ofWorkload)));
                }
                report(facts);
            }
        } finally {
            progress.clear();
        }
        return 0;
    }

    private String commandLine() {
        return spec == null
                ? ""
                : Stream.concat(Stream.of(spec.name()), spec.commandLine().getParseResult().originalArgs().stream())
                        .collect(Collectors.joining(" "));
    }

    private void take(String line) {
        if (options.json()) {
            progress.clear();
            System.out.println(line);
        }
    }

    /** Writes the page after each workload: what a run has measured is not lost if the run is interrupted. */
    private void report(Map<String, String> facts) throws IOException {
        Path file = options.report();
        Format format = file == null ? null : Format.of(file);
        if (file != null && format != null) {
            Files.writeString(file, format.written(Report.of(facts, results)));
        }
    }
}
