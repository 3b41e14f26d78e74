package io.stampedeguard.benchmarks.report;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.benchmarks.result.Spread;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workloads;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run as one page: where and how it was made, the set-up of each peer, and for each workload a table and bars for each of its
 * set-ups, its goals, and what failed.
 */
public final class Page {
    private static final int MOST_BARS = 3;

    /** The figures that are drawn, the first ones that a workload has; all others are in its tables only. */
    private static final List<String> DRAWN = List.of(
            "opsPerSecond",
            "nsPerOp",
            "getsRatio",
            "tailMs",
            "firstAnswerMs",
            "lastAnswerMs",
            "staleRounds",
            "loadsPerTtl",
            "p999Ms",
            "p99Ms",
            "loads",
            "redisCommands",
            "redisCommandsPerOp",
            "loadsPerSecond",
            "bytesPerOp");

    private static final String READING =
            "Cells are medians over the counted rounds, with ranges in brackets. Figures of one run are comparable with each"
                    + " other; those of other machines or other days are not.";

    private final Markup markup;

    private Page(Markup markup) {
        this.markup = markup;
    }

    /** How a page is written, which the name of its file decides. */
    public enum Format {
        /** One self-contained page, without scripts and without references to other files. */
        HTML(".html"),
        /** The tables without the charts, to be inserted into a page. */
        MARKDOWN(".md");

        private final String extension;

        Format(String extension) {
            this.extension = extension;
        }

        /** Returns the format that a file's name ends in, {@code null} if it ends in none. */
        public static @Nullable Format of(Path file) {
            String name = file.toString().toLowerCase(Locale.ROOT);
            return Stream.of(values())
                    .filter(format -> name.endsWith(format.extension))
                    .findFirst()
                    .orElse(null);
        }

        Markup begin() {
            return this == HTML ? new Html() : new Markdown();
        }
    }

    /**
     * Returns the page.
     *
     * @param facts where and how the run was made, by name
     * @param results the results of each workload, by its name
     */
    public static String of(Format format, Map<String, String> facts, Map<String, Results> results) {
        Page page = new Page(format.begin());
        page.markup.words(facts);
        page.markup.paragraph(READING);
        page.markup.section("peers", "Peers");
        page.markup.words(setUps(results));
        Workloads.ALL.stream()
                .filter(workload -> results.containsKey(workload.name()))
                .forEach(workload -> page.workload(workload, requireNonNull(results.get(workload.name()))));
        return page.markup.end();
    }

    private static Map<String, String> setUps(Map<String, Results> results) {
        Map<String, String> known = Peers.ALL.stream().collect(Collectors.toMap(PeerKind::name, PeerKind::setUp));
        return results.values().stream()
                .flatMap(Results::peers)
                .distinct()
                .sorted((one, other) -> Integer.compare(
                        Peers.names().indexOf(one), Peers.names().indexOf(other)))
                .collect(Collectors.toMap(
                        Function.identity(),
                        peer -> known.getOrDefault(peer, "its module is not on the class path"),
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    private void workload(Workload workload, Results results) {
        markup.section(workload.name(), workload.name() + ": " + workload.about());
        for (String config : workload.configs()) {
            config(config, results);
        }
        markup.notes(notes(workload, results));
    }

    private static Map<String, Markup.Tone> notes(Workload workload, Results results) {
        Map<String, Markup.Tone> notes = new LinkedHashMap<>();
        results.failures()
                .forEach((place, reason) -> notes.put(
                        "failed (%s, %s): %s".formatted(place.peer(), place.config(), reason), Markup.Tone.FAILED));
        for (Goal goal : workload.goals()) {
            String verdict = goal.verdict(results);
            if (verdict != null) {
                notes.put(verdict, verdict.endsWith("MISSED") ? Markup.Tone.MISSED : Markup.Tone.REACHED);
            }
        }
        return notes;
    }

    private void config(String config, Results results) {
        List<Result> rounds = results.all().stream()
                .filter(result -> result.config().equals(config))
                .toList();
        if (rounds.isEmpty()) {
            return;
        }
        markup.subsection(config);
        List<String> figures = rounds.stream()
                .flatMap(result -> result.figures().values().keySet().stream())
                .distinct()
                .toList();
        List<String> peers = rounds.stream().map(Result::peer).distinct().toList();
        medians(config, results, peers, figures);
        DRAWN.stream()
                .filter(figures::contains)
                .limit(MOST_BARS)
                .forEach(figure -> markup.picture(Bars.of(figure, spreads(results, config, peers, figure))));
        seconds(config, results);
    }

    private static Map<String, @Nullable Spread> spreads(
            Results results, String config, List<String> peers, String figure) {
        Map<String, @Nullable Spread> spreads = new LinkedHashMap<>();
        peers.forEach(peer -> spreads.put(peer, results.spread(peer, config, figure)));
        return spreads;
    }

    private void medians(String config, Results results, List<String> peers, List<String> figures) {
        List<List<String>> rows = peers.stream()
                .map(peer -> row(
                        peer,
                        Integer.toString(results.rounds(peer, config)),
                        figures.stream().map(figure -> cell(results.spread(peer, config, figure)))))
                .toList();
        markup.numbers(row("peer", "rounds", figures.stream()), rows);
    }

    private static List<String> row(String name, String rounds, Stream<String> figures) {
        return Stream.concat(Stream.of(name, rounds), figures).toList();
    }

    private static String cell(@Nullable Spread spread) {
        return spread == null ? "–" : spread.words();
    }

    /** Draws the last round, second by second, if single seconds were measured. */
    private void seconds(String config, Results results) {
        Map<String, List<Second>> curves = new LinkedHashMap<>();
        results.seconds().forEach((place, seconds) -> {
            if (place.config().equals(config)) {
                curves.put(place.peer(), seconds);
            }
        });
        if (!curves.isEmpty()) {
            Stream.of("gets", "p99Ms", "loads")
                    .forEach(figure -> markup.picture(Curves.of(figure + ", each second", figure, curves)));
        }
    }
}
