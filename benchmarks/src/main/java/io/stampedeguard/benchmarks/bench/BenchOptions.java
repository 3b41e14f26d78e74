package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.report.Format;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workload.Effort;
import io.stampedeguard.benchmarks.workload.Workloads;
import io.stampedeguard.testbed.trace.TraceFile;
import java.nio.file.Files;
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

    /** Returns the first error in the options, in one line; {@code null} if they are valid. */
    @Nullable
    String complaint() {
        String unknown = unknown("--workloads", workloads, Workloads.names());
        unknown = unknown != null ? unknown : unknown("--peers", wantedPeers(), Peers.names());
        unknown = unknown != null ? unknown : missingModule();
        if (unknown != null) {
            return unknown;
        }
        if (rounds != null && (rounds < 1 || rounds > MOST_ROUNDS)) {
            return "--rounds %d is not from 1 to %,d".formatted(rounds, MOST_ROUNDS);
        }
        String pairs = complaintOfPairs();
        return pairs != null ? pairs : complaintOfFiles();
    }

    private @Nullable String complaintOfFiles() {
        if (trace != null && !TraceFile.looksRight(trace)) {
            return "--trace " + trace + " is not a readable xz file";
        }
        boolean replays = Workloads.ALL.stream().anyMatch(each -> each.replaysTrace() && isWanted(each));
        if (trace == null && replays) {
            return "--workloads W11 replays a trace: add --trace FILE.xz";
        }
        if (trace != null && !replays) {
            return "--trace is only for --workloads W11";
        }
        if (report != null && !isInADirectory(report)) {
            return "--report " + report + " is not in an existing directory";
        }
        if (report != null && Format.of(report) == null) {
            return "--report " + report + " ends neither in .html nor in .md";
        }
        return null;
    }

    private static boolean isInADirectory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return directory != null && Files.isDirectory(directory) && !Files.isDirectory(file);
    }

    /** Returns whether a workload is named; if none is, whether it runs then. */
    private boolean isWanted(Workload workload) {
        if (!workloads.isEmpty()) {
            return workloads.contains(workload.name());
        }
        return workload.replaysTrace() ? trace != null : !workload.onRequest();
    }

    private @Nullable String missingModule() {
        return wantedPeers().stream()
                .filter(name -> !Peers.isPresent(name))
                .findFirst()
                .map(name -> "--peers '%s' needs the module benchmarks/peers/%s, which is missing"
                        .formatted(name, Peers.moduleOf(name)))
                .orElse(null);
    }

    private List<String> wantedPeers() {
        return peers.stream().flatMap(Peers::namesFor).toList();
    }

    private @Nullable String complaintOfPairs() {
        return Workloads.ALL.stream()
                .filter(workload ->
                        workloads.contains(workload.name()) && peers(workload).isEmpty())
                .findFirst()
                .map(workload -> "--workloads %s does not apply to --peers %s; it suits %s"
                        .formatted(workload.name(), String.join(",", peers), suited(workload)))
                .orElse(null);
    }

    private static String suited(Workload workload) {
        return Peers.ALL.stream().filter(workload::suits).map(PeerKind::name).collect(Collectors.joining(", "));
    }

    private static @Nullable String unknown(String option, List<String> given, List<String> known) {
        return given.stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .map(name -> "%s '%s' is none of %s".formatted(option, name, String.join(", ", known)))
                .orElse(null);
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
