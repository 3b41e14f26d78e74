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

    /** The meters of the page's tables, in its order. */
    static List<DocumentedMeter> ofThePage() throws IOException {
        return Stream.of(
                        rows("| counter | tags |").map(cells -> of("counter", cells[1], cells[2])),
                        rows("| timer | tags |").map(cells -> of("timer", cells[1], cells[2])),
                        rows("| gauge |").map(cells -> of("gauge", cells[1], "")))
                .flatMap(meters -> meters)
                .toList();
    }

    /** A row may name another type than its table. */
    private static DocumentedMeter of(String type, String name, String tags) {
        String[] words = plain(name).split(", a ");
        return new DocumentedMeter(words[0], words.length == 1 ? type : words[1], tags(tags));
    }

    /** Its name in Prometheus, without what a query adds. */
    String inPrometheus() {
        String unit = switch (type) {
            case "timer" -> "_seconds";
            case "summary" -> "_bytes";
            default -> "";
        };
        return name.replace('.', '_') + unit;
    }

    /** The page's query of a type of meter, for this one. */
    String query(String type) throws IOException {
        return rows("| type | query |")
                .filter(cells -> List.of(cells[1].split(", ")).contains(type))
                .map(cells -> plain(cells[2]).replaceAll("\\bX", inPrometheus()))
                .findFirst()
                .orElseThrow();
    }

    /** The page's queries of several meters. */
    static List<String> ratios() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.equals("```promql"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .filter(line -> !line.startsWith("#"))
                .toList();
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
