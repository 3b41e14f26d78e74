package io.stampedeguard.demo.dashboard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The names in an expression of Prometheus: metrics with the labels that select them, and the labels that it groups or
 * joins by. It is split into words and read from left to right: a name before a parenthesis is a function, keywords are
 * known, and every other name is a metric. All other errors are left to a real Prometheus.
 */
final class PromQl {
    private static final Pattern WORDS =
            Pattern.compile("\"[^\"]*\"|\\[[^]]*]|[a-zA-Z_:][\\w:]*|[0-9.]+[a-z]*|=~|!~|!=|[<>=]=|[^\\s]");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*");
    private static final Set<String> BEFORE_LABELS =
            Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset");

    /**
     * A selected metric.
     *
     * @param metric its name
     * @param labels the values that are selected or excluded, by label
     */
    record Selector(String metric, Map<String, List<String>> labels) {}

    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> groupedBy = new HashSet<>();
    private final List<String> words;
    private int at;

    private PromQl(String expression) {
        words = WORDS.matcher(expression).results().map(MatchResult::group).toList();
    }

    static PromQl parse(String expression) {
        PromQl parsed = new PromQl(expression);
        while (parsed.at < parsed.words.size()) {
            parsed.word();
        }
        return parsed;
    }

    List<Selector> selectors() {
        return selectors;
    }

    Set<String> groupedBy() {
        return groupedBy;
    }

    private void word() {
        String word = words.get(at++);
        if (BEFORE_LABELS.contains(word)) {
            labels();
        } else if (NAME.matcher(word).matches() && !isFunction(word) && !OPERATORS.contains(word)) {
            selectors.add(new Selector(word, next().equals("{") ? matchers() : Map.of()));
        }
    }

    private boolean isFunction(String word) {
        String next = next();
        return !word.contains(":") && (next.equals("(") || next.equals("by") || next.equals("without"));
    }

    private void labels() {
        for (String word = words.get(++at); !word.equals(")"); word = words.get(++at)) {
            if (!word.equals(",")) {
                groupedBy.add(word);
            }
        }
    }

    /** From the brace on: label, operator, text, and so on. */
    private Map<String, List<String>> matchers() {
        Map<String, List<String>> matchers = new HashMap<>();
        at++;
        while (!next().equals("}")) {
            String label = words.get(at);
            String operator = words.get(at + 1);
            String text = words.get(at + 2).replace("\"", "");
            matchers.put(label, operator.endsWith("~") ? List.of(text.split("\\|")) : List.of(text));
            at += 3;
            if (next().equals(",")) {
                at++;
            }
        }
        at++;
        return matchers;
    }

    private String next() {
        return at < words.size() ? words.get(at) : "";
    }
}
