package io.stampedeguard.testbed.program;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows of words as aligned columns: words are aligned left, numbers right. */
public final class Columns {
    private Columns() {}

    /**
     * {@return rows as aligned lines}
     *
     * @param rows the rows, all of one length, the titles first
     * @param wordColumns the number of columns with words; the others contain numbers
     */
    public static String of(List<List<String>> rows, int wordColumns) {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths, wordColumns)).collect(Collectors.joining("\n"));
    }

    private static String line(List<String> row, int[] widths, int wordColumns) {
        return IntStream.range(0, row.size())
                .mapToObj(column -> padded(row.get(column), widths[column], column < wordColumns))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }

    private static String padded(String cell, int width, boolean word) {
        String blanks = " ".repeat(width - cell.length());
        return word ? cell + blanks : blanks + cell;
    }
}
