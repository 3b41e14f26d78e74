package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures as one aligned table: words are aligned left, numbers right. */
public final class Table {
    private static final List<String> TITLES = List.of(
            "scenario",
            "mode",
            "gets",
            "queries",
            "at once",
            "waited",
            "stale",
            "p50 ms",
            "p99 ms",
            "max ms",
            "Redis commands",
            "errors");
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
        return Columns.of(rows, WORD_COLUMNS);
    }

    private static List<String> row(Figures figures) {
        return List.of(
                figures.scenario(),
                figures.mode().toString(),
                whole(figures.gets()),
                whole(figures.queries().size()),
                whole(figures.maxConcurrentQueries()),
                whole(figures.waited()),
                whole(figures.stale()),
                millis(figures.latencies().millisAt(50)),
                millis(figures.latencies().millisAt(99)),
                millis(figures.latencies().millisAt(100)),
                whole(figures.redisCommands()),
                whole(figures.errors()));
    }

    private static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String millis(double number) {
        return String.format(Locale.ROOT, "%,.1f", number);
    }
}
