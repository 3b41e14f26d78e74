package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.benchmarks.report.Report;
import io.stampedeguard.testbed.program.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The results of a workload as tables of medians and ranges, and whether its goals were reached. */
final class MedianTable {
    private static final int WORD_COLUMNS = 2;

    private MedianTable() {}

    static String of(Report.Section workload) {
        List<String> lines = new ArrayList<>();
        lines.add(workload.name() + ": " + workload.about());
        workload.tables().forEach(table -> lines.add(Columns.of(rows(table), WORD_COLUMNS)));
        workload.notes().forEach(note -> lines.add(note.text()));
        return String.join("\n", lines) + "\n";
    }

    /** The set-up is the first column. */
    private static List<List<String>> rows(Report.Table table) {
        List<List<String>> cells = table.cells();
        return IntStream.range(0, cells.size())
                .mapToObj(i -> Stream.concat(Stream.of(i == 0 ? "config" : table.config()), cells.get(i).stream())
                        .toList())
                .toList();
    }
}
