package io.stampedeguard.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A report as Markdown, without charts; its headings begin at the third level, so that it fits into a section of another page.
 */
final class Markdown {
    /** The characters that may begin something other than text. */
    private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_~<\\[|&]");

    private static final String READING =
            "Cells are medians over the counted rounds, with ranges in brackets. Figures of one run are comparable with each"
                    + " other; those of other machines or other days are not.";

    private Markdown() {}

    /** Blocks are separated by an empty line. */
    static String of(Report report) {
        Stream<String> head = Stream.of(words(report.facts()), escaped(READING), "### Peers", words(report.peers()));
        return Stream.concat(head, report.workloads().stream().flatMap(Markdown::blocks))
                .collect(Collectors.joining("\n\n", "", "\n"));
    }

    private static Stream<String> blocks(Report.Section workload) {
        Stream<String> title = Stream.of("### " + escaped(workload.name() + ": " + workload.about()));
        Stream<String> tables = workload.tables().stream()
                .flatMap(table -> Stream.of("#### " + escaped(table.config()), numbers(table.cells())));
        Stream<String> notes = workload.notes().isEmpty()
                ? Stream.empty()
                : Stream.of(workload.notes().stream()
                        .map(note -> "- " + escaped(note.text()))
                        .collect(Collectors.joining("\n")));
        return Stream.of(title, tables, notes).flatMap(blocks -> blocks);
    }

    private static String words(Map<String, String> rows) {
        Stream<String> header = Stream.of(row(List.of("", "")), "|---|---|");
        return lines(Stream.concat(
                header, rows.entrySet().stream().map(each -> row(List.of(each.getKey(), each.getValue())))));
    }

    private static String numbers(List<List<String>> rows) {
        Stream<String> header =
                Stream.of(row(rows.get(0)), "|---" + "|--:".repeat(rows.get(0).size() - 1) + "|");
        return lines(Stream.concat(header, rows.stream().skip(1).map(Markdown::row)));
    }

    private static String lines(Stream<String> lines) {
        return lines.collect(Collectors.joining("\n"));
    }

    private static String row(List<String> cells) {
        return cells.stream().map(Markdown::escaped).collect(Collectors.joining(" | ", "| ", " |"));
    }

    private static String escaped(String text) {
        return SPECIAL.matcher(text).replaceAll(found -> Matcher.quoteReplacement("\\" + found.group()));
    }
}
