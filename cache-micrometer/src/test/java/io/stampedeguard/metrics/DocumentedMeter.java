package io.stampedeguard.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A meter as the page or the javadoc describes it: its type, and its tags with their values, without {@code cache}. */
record DocumentedMeter(String name, String type, Map<String, TreeSet<String>> tags) {
    static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Pattern TAG = Pattern.compile("`(\\w+)`: ([\\w, ]+)");
    private static final Pattern JAVADOC = Pattern.compile("<tr><td>\\{@code (cache[\\w.]+)}</td><td>(\\w+)");

    /** The meters of the page's table, in its order. */
    static List<DocumentedMeter> ofThePage() throws IOException {
        return rows("| meter | type |")
                .map(cells -> new DocumentedMeter(plain(cells[1]), cells[2], tags(cells[3])))
                .toList();
    }

    /** The page's queries by the meter that they use. */
    static Map<String, String> queries() throws IOException {
        return rows("| meter | query |").collect(Collectors.toMap(cells -> plain(cells[1]), cells -> plain(cells[2])));
    }

    /** The page's queries that need histograms. */
    static List<String> percentiles() throws IOException {
        return rows("| percentile | query |").map(cells -> plain(cells[2])).toList();
    }

    /** Names and types of the table in the listener's javadoc. */
    static Map<String, String> ofTheJavadoc() throws IOException {
        Path source = Path.of("src", "main", "java", "io", "stampedeguard", "metrics", "MicrometerListener.java");
        return JAVADOC.matcher(Files.readString(source))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
    }

    private static Stream<String[]> rows(String head) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.startsWith(head))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> Stream.of(line.split("\\|")).map(String::strip).toArray(String[]::new));
    }

    private static Map<String, TreeSet<String>> tags(String cell) {
        Map<String, TreeSet<String>> tags = new TreeMap<>();
        for (MatchResult tag : TAG.matcher(cell).results().toList()) {
            tags.put(
                    tag.group(1),
                    new TreeSet<>(new ArrayList<>(List.of(tag.group(2).split(", ")))));
        }
        return tags;
    }

    private static String plain(String cell) {
        return cell.replace("`", "");
    }
}
