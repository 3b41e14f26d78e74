package io.stampedeguard.benchmarks.bench;

import static io.stampedeguard.testbed.program.WrongOptionException.require;
import static io.stampedeguard.testbed.program.WrongOptionException.requireFrom;
import static io.stampedeguard.testbed.program.WrongOptionException.requireInDirectory;
import static io.stampedeguard.testbed.program.WrongOptionException.requireKnown;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.report.Format;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workload.Effort;
import io.stampedeguard.benchmarks.workload.Workloads;
import io.stampedeguard.testbed.trace.TraceFile;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code ./stampede bench}. Filled by picocli, then checked, then only read. */
final class BenchOptions {
    private static final int MOST_ROUNDS = 10_000;

    @Option(
            names = "--workloads",
            split = ",",
            paramLabel = "NAMES",
            hideParamSyntax = true,
            description = "Only these, such as W3,W4 (default: all but W10 and W10b; W11 only with --trace).")
    private List<String> workloads = List.of();

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAMES",
            hideParamSyntax = true,
            description =
                    "Only these, in the workloads that apply to them (default: those that each workload is about);"
                            + " jetcache, redisson, and spring each select all peers of that library.")
    private List<String> peers = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds that count, 1 to 10,000, besides warm-up rounds (default: 7; W6, W11, W12: 3; W9: 500"
                    + " for guarded, 100 for others; W10, W10b: 1; W15: 20).")
    private @Nullable Integer rounds;

    @Option(
            names = "--quick",
            description = "A short run of about two minutes: few rounds, shorter loads. Its figures mean little.")
    private boolean quick;

    @Option(names = "--json", description = "Print one JSON object per line on standard output, nothing else.")
    private boolean json;

    @Option(
            names = "--trace",
            paramLabel = "FILE.xz",
            description = "The trace that W11 replays: xz, each request a big-endian 32-bit key.")
    private @Nullable Path trace;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the run into this file: FILE.html is one page with tables and charts, FILE.md has the"
                    + " tables as Markdown.")
    private @Nullable Path report;

    void check() {
        requireKnown("--workloads", workloads, Workloads.names());
        requireKnown("--peers", wantedPeers(), Peers.names());
        wantedPeers()
                .forEach(name -> require(
                        Peers.isPresent(name),
                        () -> "--peers '%s' needs the module benchmarks/peers/%s, which is missing"
                                .formatted(name, Peers.moduleOf(name))));
        if (rounds != null) {
            requireFrom(1, MOST_ROUNDS, "--rounds", rounds);
        }
        Workloads.ALL.stream()
                .filter(workload -> workloads.contains(workload.name()))
                .forEach(workload -> require(
                        !peers(workload).isEmpty(),
                        () -> "--workloads %s does not apply to --peers %s; it suits %s"
                                .formatted(workload.name(), String.join(",", peers), suited(workload))));
        require(trace == null || TraceFile.looksRight(trace), () -> "--trace " + trace + " is not a readable xz file");
        boolean replays = Workloads.ALL.stream().anyMatch(each -> each.replaysTrace() && isWanted(each));
        require(trace != null || !replays, () -> "--workloads W11 replays a trace: add --trace FILE.xz");
        require(trace == null || replays, () -> "--trace is only for --workloads W11");
        if (report != null) {
            requireInDirectory("--report", report);
            require(Format.of(report) != null, () -> "--report " + report + " ends neither in .html nor in .md");
        }
    }

    /** Returns whether a workload is named; if none is, whether it runs then. */
    private boolean isWanted(Workload workload) {
        if (!workloads.isEmpty()) {
            return workloads.contains(workload.name());
        }
        return workload.replaysTrace() ? trace != null : !workload.onRequest();
    }

    private List<String> wantedPeers() {
        return peers.stream().flatMap(Peers::namesFor).toList();
    }

    private static String suited(Workload workload) {
        return Peers.ALL.stream().filter(workload::suits).map(PeerKind::name).collect(Collectors.joining(", "));
    }

    /** Returns the requested workloads; if none were given, all that apply to any of the peers, but those on request. */
    List<Workload> workloads() {
        return Workloads.ALL.stream()
                .filter(this::isWanted)
                .filter(workload -> !peers(workload).isEmpty())
                .toList();
    }

    /** Returns the requested or default peers that the workload suits, in the order in which they alternate. */
    List<PeerKind> peers(Workload workload) {
        List<String> wanted = peers.isEmpty() ? workload.usualPeers() : wantedPeers();
        return Peers.ALL.stream()
                .filter(peer -> wanted.contains(peer.name()) && workload.suits(peer))
                .toList();
    }

    Effort effort() {
        return new Effort(quick, rounds);
    }

    /** Returns the trace, by its absolute path. */
    @Nullable
    Path trace() {
        return trace == null ? null : trace.toAbsolutePath();
    }

    @Nullable
    Path report() {
        return report;
    }

    boolean json() {
        return json;
    }
}
