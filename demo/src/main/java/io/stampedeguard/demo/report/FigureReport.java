package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.program.Columns;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures of a run, as lines of JSON and as aligned tables. Both are made from one list of columns. */
public final class FigureReport {
    private static final int PLACES = 3;

    private static final List<Column<Figures>> ALL = List.of(
            new Column<>("scenario", "scenario", Figures::scenario),
            new Column<>("mode", "mode", Figures::mode),
            new Column<>("processes", "", Figures::processes),
            new Column<>("callers", "", Figures::callers),
            new Column<>("gets", "gets", Figures::gets),
            new Column<>("queries", "queries", figures -> figures.queries().size()),
            new Column<>("maxConcurrentQueries", "at once", Figures::maxConcurrentQueries),
            new Column<>("p50Ms", "p50 ms", figures -> figures.latencies().millisAt(50)),
            new Column<>("p99Ms", "p99 ms", figures -> figures.latencies().millisAt(99)),
            new Column<>("maxMs", "max ms", figures -> figures.latencies().millisAt(100)),
            new Column<>("redisCommands", "Redis commands", Figures::redisCommands),
            new Column<>("errors", "errors", Figures::errors),
            new Column<>("waited", "waited", Figures::waited),
            new Column<>("stale", "stale", Figures::stale));

    /** In the table, what happened to callers stands before their times. */
    private static final List<Column<Figures>> IN_TABLE = Stream.of(
                    ALL.subList(0, 7), ALL.subList(12, 14), ALL.subList(7, 12))
            .flatMap(List::stream)
            .toList();

    private static final List<Column<Figures.Aftermath>> AFTERMATH = List.of(
            new Column<>("firstAnswerMs", "", Figures.Aftermath::firstAnswerMillis),
            new Column<>("lastAnswerMs", "", Figures.Aftermath::lastAnswerMillis));

    private static final List<Column<Figures.Attack>> ATTACK = List.of(
            new Column<>("usersGets", "users' gets", attack -> attack.users().count()),
            new Column<>("usersP99Ms", "their p99 ms", attack -> attack.users().millisAt(99)),
            new Column<>("wrongAnswers", "wrong", Figures.Attack::wrongAnswers),
            new Column<>("nonexistentGets", "nonexistent gets", Figures.Attack::nonexistentGets),
            new Column<>("queriesForNothing", "queries without row", Figures.Attack::queriesForNothing),
            new Column<>("nonexistentKeysInRedis", "nonexistent in Redis", Figures.Attack::nonexistentKeysInRedis),
            new Column<>("rows", "new rows", Figures.Attack::rows),
            new Column<>("rowsFound", "found", Figures.Attack::rowsFound),
            new Column<>("rowsMissed", "missed", Figures.Attack::rowsMissed));

    private static final List<Column<InSecond>> SECOND = List.of(
            new Column<>("gets", "gets", second -> second.gets().count()),
            new Column<>("queries", "queries", second -> second.figures.queriesIn(second.number)),
            new Column<>("maxConcurrentQueries", "at once", second -> second.figures.mostQueriesIn(second.number)),
            new Column<>("p99Ms", "p99 ms", InSecond::p99));

    private FigureReport() {}

    /** A figure: its name in JSON, its title in the table, which is empty if that leaves it out, and its value, if there is one. */
    private record Column<T>(String name, String title, Function<T, @Nullable Object> figure) {
        static <T> Stream<String> titles(List<Column<T>> columns) {
            return columns.stream().map(Column::title).filter(title -> !title.isEmpty());
        }

        static <T> Stream<String> cells(List<Column<T>> columns, T of) {
            return columns.stream()
                    .filter(column -> !column.title.isEmpty())
                    .map(column -> shown(column.figure.apply(of)));
        }

        static <T> void add(List<Column<T>> columns, T of, JsonObject line) {
            for (Column<T> column : columns) {
                Object value = column.figure.apply(of);
                if (value instanceof Double number) {
                    line.rounded(column.name, number, PLACES);
                } else if (value instanceof Number number) {
                    line.number(column.name, number.longValue());
                } else {
                    line.text(column.name, value);
                }
            }
        }
    }

    /** One second since the release. */
    private record InSecond(Figures figures, int number) {
        static List<InSecond> of(Figures figures) {
            return IntStream.range(0, figures.seconds().size())
                    .mapToObj(number -> new InSecond(figures, number))
                    .toList();
        }

        Latencies gets() {
            return figures.seconds().get(number);
        }

        @Nullable
        Double p99() {
            return gets().count() == 0 ? null : (Double) gets().millisAt(99);
        }
    }

    /** Returns a line of JSON. */
    public static String json(Figures figures) {
        JsonObject line = new JsonObject();
        Column.add(ALL, figures, line);
        Figures.Aftermath aftermath = figures.aftermath();
        if (aftermath != null) {
            Column.add(AFTERMATH, aftermath, line);
        }
        Figures.Attack attack = figures.attack();
        if (attack != null) {
            Column.add(ATTACK, attack, line);
        }
        return line.toString();
    }

    /** Returns a line of JSON for each second; none if Redis was not stopped. It was from one second until before another. */
    public static List<String> jsonOfSeconds(Figures figures, int stops, int starts) {
        return InSecond.of(figures).stream()
                .map(second -> {
                    JsonObject line = new JsonObject()
                            .text("scenario", figures.scenario())
                            .text("mode", figures.mode())
                            .number("second", second.number)
                            .flag("redisRuns", second.number < stops || second.number >= starts);
                    Column.add(SECOND, second, line);
                    return line.toString();
                })
                .toList();
    }

    public static String table(List<Figures> all) {
        return Columns.of(
                rows(Column.titles(IN_TABLE), all.stream().map(figures -> Column.cells(IN_TABLE, figures))), 2);
    }

    /** Draws the table of the requests for nonexistent keys; empty if there are no such figures. */
    public static String tableOfAttacks(List<Figures> all) {
        Stream<Stream<String>> attacks = all.stream()
                .flatMap(figures -> Stream.ofNullable(figures.attack())
                        .map(attack ->
                                Stream.concat(Stream.of(figures.mode().toString()), Column.cells(ATTACK, attack))));
        List<List<String>> rows = rows(Stream.concat(Stream.of("mode"), Column.titles(ATTACK)), attacks);
        return rows.size() == 1 ? "" : Columns.of(rows, 1);
    }

    /**
     * Draws the timeline of an outage, a line for each second, the modes side by side; empty if Redis was not stopped. It was from
     * one second until before another.
     */
    public static String tableOfOutages(List<Figures> all, int stops, int starts) {
        List<List<InSecond>> outages = all.stream()
                .map(InSecond::of)
                .filter(seconds -> !seconds.isEmpty())
                .toList();
        if (outages.isEmpty()) {
            return "";
        }
        Stream<String> titles =
                Stream.concat(Stream.of("Redis", "second"), outages.stream().flatMap(seconds -> {
                    List<String> ofMode = new ArrayList<>(Column.titles(SECOND).toList());
                    ofMode.set(0, seconds.get(0).figures.mode() + ": " + ofMode.get(0));
                    return ofMode.stream();
                }));
        Stream<Stream<String>> rows = IntStream.range(0, outages.get(0).size())
                .mapToObj(second -> Stream.concat(
                        Stream.of(second < stops || second >= starts ? "runs" : "stopped", shown(second)),
                        outages.stream().flatMap(seconds -> Column.cells(SECOND, seconds.get(second)))));
        return Columns.of(rows(titles, rows), 1);
    }

    private static List<List<String>> rows(Stream<String> titles, Stream<Stream<String>> rows) {
        return Stream.concat(Stream.of(titles), rows).map(Stream::toList).toList();
    }

    private static String shown(@Nullable Object value) {
        if (value instanceof Double number) {
            return String.format(Locale.ROOT, "%,.1f", number);
        }
        if (value instanceof Number number) {
            return String.format(Locale.ROOT, "%,d", number);
        }
        return value == null ? "" : value.toString();
    }
}
