package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Figures as one aligned table: words to the left, numbers to the right. */
public final class Table {
    private static final List<String> TITLES = List.of(
            "scenario", "mode", "gets", "queries", "at once", "p50 ms", "p99 ms", "max ms", "Redis commands", "errors");
    private static final int WORD_COLUMNS = 2;

    private Table() {}

    /**
     * Draws the table.
     *
     * @param all the figures, a row each
     * @return lines
     */
    public static String of(List<Figures> all) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        all.forEach(figures -> rows.add(row(figures)));
        int[] widths = IntStream.range(0, TITLES.size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
    }

    private static List<String> row(Figures figures) {
        return List.of(
                figures.scenario(),
                figures.mode().toString(),
                whole(figures.gets()),
                whole(figures.queries().size()),
                whole(figures.maxConcurrentQueries()),
                millis(figures.latencies().millisAt(50)),
                millis(figures.latencies().millisAt(99)),
                millis(figures.latencies().millisAt(100)),
                whole(figures.redisCommands()),
                whole(figures.errors()));
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, row.size())
                .mapToObj(column ->
                        ("%" + (column < WORD_COLUMNS ? "-" : "") + widths[column] + "s").formatted(row.get(column)))
                .collect(Collectors.joining("  "));
    }

    private static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String millis(double number) {
        return String.format(Locale.ROOT, "%,.1f", number);
    }
}
