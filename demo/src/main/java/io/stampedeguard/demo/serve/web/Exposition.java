package io.stampedeguard.demo.serve.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The merge of texts in Prometheus' format, in which all lines of a metric must be adjacent. A metric begins with a line {@code #
 * HELP name …} or {@code # TYPE name …}; if it exists already, only its lines with values are added to it.
 */
final class Exposition {
    private Exposition() {}

    static String merged(List<String> texts) {
        Map<String, List<String>> metrics = new LinkedHashMap<>();
        texts.forEach(text -> add(text, metrics));
        StringBuilder merged = new StringBuilder();
        metrics.values()
                .forEach(lines -> lines.forEach(line -> merged.append(line).append('\n')));
        return merged.toString();
    }

    private static void add(String text, Map<String, List<String>> metrics) {
        List<String> lines = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("# ")) {
                lines = metrics.computeIfAbsent(line.split(" ", 4)[2], name -> new ArrayList<>());
                if (!lines.contains(line)) {
                    lines.add(line);
                }
            } else {
                lines.add(line);
            }
        }
    }
}
