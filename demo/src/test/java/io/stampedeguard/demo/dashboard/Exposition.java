package io.stampedeguard.demo.dashboard;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics that a process exports to Prometheus, read from the text of a scrape: names, labels, and values. */
final class Exposition {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private final Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
    private final Set<String> families = new TreeSet<>();

    Exposition(String scrape) {
        scrape.lines().forEach(this::line);
    }

    private void line(String line) {
        if (line.startsWith("# TYPE ")) {
            families.add(line.split(" ")[2]);
        }
        Matcher sample = SAMPLE.matcher(line);
        if (!line.startsWith("#") && sample.matches()) {
            Map<String, Set<String>> labels = metrics.computeIfAbsent(sample.group(1), name -> new HashMap<>());
            String text = sample.group(2) == null ? "" : sample.group(2);
            LABEL.matcher(text)
                    .results()
                    .forEach(label -> labels.computeIfAbsent(label.group(1), name -> new HashSet<>())
                            .add(label.group(2)));
        }
    }

    /** The names of the meters: a histogram's buckets, sum, and count are one, its maximum another. */
    Set<String> families() {
        return families;
    }

    Collection<String> metrics() {
        return metrics.keySet();
    }

    /** The metrics of a family. */
    Set<String> metricsOf(String family) {
        Set<String> names = new TreeSet<>(metrics.keySet());
        names.retainAll(Set.of(family, family + "_total", family + "_bucket", family + "_sum", family + "_count"));
        return names;
    }

    Set<String> labels(String metric) {
        return metrics.getOrDefault(metric, Map.of()).keySet();
    }

    Set<String> values(String metric, String label) {
        return metrics.getOrDefault(metric, Map.of()).getOrDefault(label, Set.of());
    }
}
