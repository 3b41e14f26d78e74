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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run as one self-contained HTML page, without scripts and without references to other files: where and how it was made, the
 * set-up of each peer, and for each workload a table and bars for each of its set-ups, its goals, and what failed.
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

    private static final String BEGIN = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>stampede bench</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;
                   max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; margin: 0.75rem 0; display: block; overflow-x: auto; }
            th, td { border-bottom: 1px solid #8884; padding: 0.25rem 0.75rem; text-align: left; white-space: nowrap; }
            td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
            td.words { white-space: normal; }
            svg { display: block; margin: 0.75rem 0; max-width: 100%; height: auto; }
            .missed, .failed { color: #d1242f; }
            .reached { color: #1a7f37; }
            code { font-family: ui-monospace, monospace; white-space: pre-wrap; }
            </style>
            </head>
            <body>
            <h1>stampede bench</h1>
            """;

    private static final String READING = """
            <p>Cells are medians over the counted rounds, with ranges in brackets.
            Figures of one run are comparable with each other; those of other machines or other days are not.
            Bars begin at zero; the line over a bar is the range.</p>
            """;

    private final StringBuilder html = new StringBuilder(BEGIN);

    private Page() {}

    /**
     * Returns the page.
     *
     * @param facts where and how the run was made, by name
     * @param lines the lines of the run, as {@code --json} prints them, in order
     */
    public static String of(Map<String, String> facts, List<String> lines) {
        Page page = new Page();
        Map<String, Recording> recordings = Recording.parse(lines);
        page.table("facts", facts);
        page.html.append(READING).append("<h2>Peers</h2>\n");
        page.table("peers", setUps(recordings));
        Workloads.ALL.stream()
                .filter(workload -> recordings.containsKey(workload.name()))
                .forEach(workload -> page.workload(workload, requireNonNull(recordings.get(workload.name()))));
        return page.html.append("</body>\n</html>\n").toString();
    }

    private static Map<String, String> setUps(Map<String, Recording> recordings) {
        Map<String, String> known = Peers.ALL.stream().collect(Collectors.toMap(PeerKind::name, PeerKind::setUp));
        return recordings.values().stream()
                .flatMap(Recording::peers)
                .distinct()
                .sorted((one, other) -> Integer.compare(
                        Peers.names().indexOf(one), Peers.names().indexOf(other)))
                .collect(Collectors.toMap(
                        Function.identity(),
                        peer -> known.getOrDefault(peer, "its module is not on the class path"),
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    private void table(String id, Map<String, String> rows) {
        html.append("<table id=\"%s\">%n".formatted(id));
        rows.forEach((name, words) -> html.append(
                "<tr><th>%s</th><td class=\"words\">%s</td></tr>%n".formatted(escaped(name), escaped(words))));
        html.append("</table>\n");
    }

    private void workload(Workload workload, Recording recording) {
        html.append("<h2 id=\"%1$s\">%1$s: %2$s</h2>%n".formatted(workload.name(), escaped(workload.about())));
        Results results = recording.results();
        for (String config : workload.configs()) {
            config(config, results, recording);
        }
        results.failures()
                .forEach((place, reason) -> html.append("<p class=\"failed\">failed (%s, %s): %s</p>%n"
                        .formatted(place.peer(), place.config(), escaped(reason))));
        for (Goal goal : workload.goals()) {
            String verdict = goal.verdict(results);
            if (verdict != null) {
                html.append("<p class=\"%s\">%s</p>%n"
                        .formatted(verdict.endsWith("MISSED") ? "missed" : "reached", escaped(verdict)));
            }
        }
    }

    private void config(String config, Results results, Recording recording) {
        List<Result> rounds = results.all().stream()
                .filter(result -> result.config().equals(config))
                .toList();
        if (rounds.isEmpty()) {
            return;
        }
        html.append("<h3>%s</h3>%n".formatted(escaped(config)));
        List<String> figures = rounds.stream()
                .flatMap(result -> result.figures().values().keySet().stream())
                .distinct()
                .toList();
        List<String> peers = rounds.stream().map(Result::peer).distinct().toList();
        medians(config, results, peers, figures);
        DRAWN.stream()
                .filter(figures::contains)
                .limit(MOST_BARS)
                .forEach(figure -> html.append(Bars.of(figure, spreads(results, config, peers, figure))));
        seconds(config, recording);
    }

    private static Map<String, @Nullable Spread> spreads(
            Results results, String config, List<String> peers, String figure) {
        Map<String, @Nullable Spread> spreads = new LinkedHashMap<>();
        peers.forEach(peer -> spreads.put(peer, results.spread(peer, config, figure)));
        return spreads;
    }

    private void medians(String config, Results results, List<String> peers, List<String> figures) {
        html.append("<table>\n<tr><th>peer</th><th class=\"number\">rounds</th>");
        figures.forEach(figure -> html.append("<th class=\"number\">%s</th>".formatted(escaped(figure))));
        html.append("</tr>\n");
        for (String peer : peers) {
            html.append("<tr><th>%s</th><td class=\"number\">%d</td>"
                    .formatted(escaped(peer), results.rounds(peer, config)));
            for (String figure : figures) {
                Spread spread = results.spread(peer, config, figure);
                html.append("<td class=\"number\">%s</td>".formatted(spread == null ? "–" : spread.words()));
            }
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    /** Draws the last round, second by second, if single seconds were recorded. */
    private void seconds(String config, Recording recording) {
        Map<String, List<Second>> curves = new LinkedHashMap<>();
        recording
                .peersWithSeconds(config)
                .forEach(peer -> curves.put(peer, recording.lastSeconds(new Results.Place(peer, config))));
        if (!curves.isEmpty()) {
            Stream.of("gets", "p99Ms", "loads")
                    .forEach(figure -> html.append(Curves.of(figure + ", each second", figure, curves)));
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
