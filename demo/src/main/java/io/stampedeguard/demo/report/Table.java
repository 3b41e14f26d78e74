package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures as aligned tables: words are aligned left, numbers right. */
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
    private static final List<String> ATTACK_TITLES = List.of(
            "mode",
            "users' gets",
            "their p99 ms",
            "wrong",
            "nonexistent gets",
            "queries",
            "without row",
            "nonexistent in Redis",
            "new rows",
            "found",
            "missed");

    private Table() {}

    public static String of(List<Figures> all) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        all.forEach(figures -> rows.add(row(figures)));
        return Columns.of(rows, 2);
    }

    /** Draws the table of the requests for nonexistent keys; empty if there are no such figures. */
    public static String ofAttacks(List<Figures> all) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(ATTACK_TITLES);
        for (Figures figures : all) {
            Figures.Attack attack = figures.attack();
            if (attack != null) {
                rows.add(attackRow(figures, attack));
            }
        }
        return rows.size() == 1 ? "" : Columns.of(rows, 1);
    }

    /**
     * Draws the timeline of an outage, a line for each second, the modes side by side; empty if Redis was not stopped. It was from
     * one second until before another.
     */
    public static String ofOutages(List<Figures> all, int stops, int starts) {
        List<Figures> outages =
                all.stream().filter(figures -> !figures.seconds().isEmpty()).toList();
        if (outages.isEmpty()) {
            return "";
        }
        List<List<String>> rows = new ArrayList<>();
        List<String> titles = new ArrayList<>(List.of("Redis", "second"));
        outages.forEach(figures -> titles.addAll(List.of(figures.mode() + ": gets", "queries", "at once", "p99 ms")));
        rows.add(titles);
        for (int second = 0; second < outages.get(0).seconds().size(); second++) {
            List<String> row = new ArrayList<>();
            row.add(second < stops || second >= starts ? "runs" : "stopped");
            row.add(whole(second));
            for (Figures figures : outages) {
                Latencies gets = figures.seconds().get(second);
                row.add(whole(gets.count()));
                row.add(whole(figures.queriesIn(second)));
                row.add(whole(figures.mostQueriesIn(second)));
                row.add(gets.count() == 0 ? "" : millis(gets.millisAt(99)));
            }
            rows.add(row);
        }
        return Columns.of(rows, 1);
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

    private static List<String> attackRow(Figures figures, Figures.Attack attack) {
        return List.of(
                figures.mode().toString(),
                whole(attack.users().count()),
                millis(attack.users().millisAt(99)),
                whole(attack.wrongAnswers()),
                whole(attack.nonexistentGets()),
                whole(figures.queries().size()),
                whole(attack.queriesForNothing()),
                whole(attack.nonexistentKeysInRedis()),
                whole(attack.rows()),
                whole(attack.rowsFound()),
                whole(attack.rowsMissed()));
    }

    private static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String millis(double number) {
        return String.format(Locale.ROOT, "%,.1f", number);
    }
}
