package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Spread;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of a workload as tables of medians and ranges, and whether its goals were reached. */
final class MedianTable {
    private static final int WORD_COLUMNS = 2;

    private final Results results;
    private final String config;
    private final List<Result> rounds;
    private final List<String> figures;

    private MedianTable(Results results, String config) {
        this.results = results;
        this.config = config;
        this.rounds = results.all().stream()
                .filter(result -> result.config().equals(config))
                .toList();
        this.figures = rounds.stream()
                .flatMap(result -> result.figures().values().keySet().stream())
                .distinct()
                .toList();
    }

    static String of(Workload workload, Results results) {
        List<String> lines = new ArrayList<>();
        lines.add(workload.name() + ": " + workload.about());
        for (String config : workload.configs()) {
            lines.add(new MedianTable(results, config).lines());
        }
        results.failures()
                .forEach((place, reason) ->
                        lines.add("failed (%s, %s): %s".formatted(place.peer(), place.config(), reason)));
        for (Goal goal : workload.goals()) {
            String verdict = goal.verdict(results);
            if (verdict != null) {
                lines.add(verdict);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private String lines() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("config", "peer", "rounds", figures));
        rounds.stream().map(Result::peer).distinct().forEach(peer -> rows.add(row(peer)));
        return Columns.of(rows, WORD_COLUMNS);
    }

    private List<String> row(String peer) {
        List<String> cells = figures.stream()
                .map(figure -> cell(results.spread(peer, config, figure)))
                .toList();
        return row(config, peer, Integer.toString(results.rounds(peer, config)), cells);
    }

    private static List<String> row(String config, String peer, String last, List<String> cells) {
        List<String> row = new ArrayList<>(List.of(config, peer, last));
        row.addAll(cells);
        return row;
    }

    private static String cell(@Nullable Spread spread) {
        return spread == null ? "–" : spread.words();
    }
}
