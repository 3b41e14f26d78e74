package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Attack;
import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of requests for nonexistent keys, as one aligned table: words are aligned left, numbers right. */
public final class AttackTable {
    private static final List<String> TITLES = List.of(
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
    private static final int WORD_COLUMNS = 1;

    private AttackTable() {}

    /**
     * Draws the table.
     *
     * @param all the figures; a row for each of those with nonexistent keys
     * @return lines; empty if there are no such figures
     */
    public static String of(List<Figures> all) {
        List<List<String>> rows = new ArrayList<>();
        for (Figures figures : all) {
            Attack attack = figures.attack();
            if (attack != null) {
                rows.add(row(figures, attack));
            }
        }
        if (rows.isEmpty()) {
            return "";
        }
        rows.add(0, TITLES);
        return Columns.of(rows, WORD_COLUMNS);
    }

    private static List<String> row(Figures figures, Attack attack) {
        return List.of(
                figures.mode().toString(),
                whole(attack.users().count()),
                String.format(Locale.ROOT, "%,.1f", attack.users().millisAt(99)),
                whole(attack.wrongAnswers()),
                whole(attack.madeUpGets()),
                whole(figures.queries().size()),
                whole(attack.queriesForNothing()),
                whole(attack.madeUpKeysInRedis()),
                whole(attack.rows()),
                whole(attack.rowsFound()),
                whole(attack.rowsMissed()));
    }

    private static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
