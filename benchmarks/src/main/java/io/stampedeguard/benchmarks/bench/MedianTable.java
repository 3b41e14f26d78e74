package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Result;
import io.stampedeguard.benchmarks.result.Results;
import io.stampedeguard.benchmarks.result.Spread;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
        int last = rounds.stream()
                .filter(result -> result.peer().equals(peer))
                .mapToInt(Result::round)
                .max()
                .orElse(0);
        List<String> cells = figures.stream()
                .map(figure -> cell(results.spread(peer, config, figure)))
                .toList();
        return row(config, peer, Integer.toString(last), cells);
    }

    private static List<String> row(String config, String peer, String last, List<String> cells) {
        List<String> row = new ArrayList<>(List.of(config, peer, last));
        row.addAll(cells);
        return row;
    }

    /** Returns the median, and the range if there is one. */
    private static String cell(@Nullable Spread spread) {
        if (spread == null) {
            return "–";
        }
        String median = number(spread.median());
        return spread.least() == spread.most()
                ? median
                : "%s (%s–%s)".formatted(median, number(spread.least()), number(spread.most()));
    }

    /** Small figures have three significant digits: a near hit takes microseconds, which are shown in milliseconds. */
    private static String number(double number) {
        if (number == Math.rint(number)) {
            return String.format(Locale.ROOT, "%,.0f", number);
        }
        return String.format(Locale.ROOT, Math.abs(number) < 1 ? "%,.3f" : "%,.1f", number);
    }
}
