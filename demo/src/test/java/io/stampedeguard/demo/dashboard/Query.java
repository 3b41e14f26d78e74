package io.stampedeguard.demo.dashboard;

import java.util.List;

/**
 * One expression of the dashboard or of the alerts.
 *
 * @param where the panel or alert, for messages
 * @param expression PromQL, with Grafana's variables
 * @param legend the name of its series: a text with {@code {{label}}}s, or empty
 */
record Query(String where, String expression, String legend) {
    /** With the variables replaced as Grafana does when all their values are selected. */
    String filledIn(String rateInterval, String range) {
        return expression
                .replace("$namespace", ".*")
                .replace("$job", ".*")
                .replace("$instance", ".*")
                .replace("$cache", ".*")
                .replace("$__rate_interval", rateInterval)
                .replace("$__range", range);
    }

    List<String> legendLabels() {
        return java.util.regex.Pattern.compile("\\{\\{(\\w+)}}")
                .matcher(legend)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    boolean needsHistograms() {
        return PromQl.parse(expression).selectors().stream()
                .anyMatch(selector -> selector.metric().endsWith("_bucket"));
    }

    @Override
    public String toString() {
        return where + ": " + expression;
    }
}
