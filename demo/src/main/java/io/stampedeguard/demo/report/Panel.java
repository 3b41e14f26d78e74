package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.measure.Concurrency;
import io.stampedeguard.testbed.program.Svg;
import java.util.Locale;

/**
 * One half of a picture, below its upper edge {@code top}: how many callers still wait for their answer, and how many queries
 * run, over time; {@code style} is the class of its colours.
 */
record Panel(Axes axes, int top, String style, String name, Figures figures) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final int NOTE_GAP = 26;

    String draw() {
        return title()
                + axes.grid(top)
                + area(style + " waiting", waiting())
                + area(style + " running", running())
                + axes.base(top)
                + notes();
    }

    private String title() {
        int queries = figures.queries().size();
        return "<text x=\"%d\" y=\"%d\"><tspan class=\"name %s\">%s</tspan><tspan class=\"said\" dx=\"10\">%s</tspan></text>%n"
                .formatted(
                        Axes.LEFT,
                        top - 14,
                        style,
                        name,
                        "%,d callers, %,d %s, slowest answer %s"
                                .formatted(
                                        figures.gets(), queries, queries == 1 ? "query" : "queries", time(slowest())));
    }

    /** All callers begin at the release, so those that take longer than until a moment are waiting at that moment. */
    private String waiting() {
        StringBuilder path = new StringBuilder(point('L', 0, (double) figures.gets()));
        double end = slowest();
        double pixel = axes.millis() / Axes.PANEL_WIDTH / 2;
        for (double at = 0; at < end; at += pixel) {
            path.append(point('L', at, (double) figures.latencies().countLongerThan(at)));
        }
        return path.append(point('L', end, 0)).toString();
    }

    private String running() {
        StringBuilder path = new StringBuilder();
        int open = 0;
        for (Concurrency.Step step : figures.queries().running().steps()) {
            double at = Math.max(0, (step.micros() - figures.releasedMicros()) / MICROS_PER_MILLI);
            path.append(point('L', at, open)).append(point('L', at, step.open()));
            open = step.open();
        }
        return path.toString();
    }

    private String area(String styles, String outline) {
        return "<path class=\"%s\" d=\"%s%s Z\"/>%n".formatted(styles, point('M', 0, 0), outline);
    }

    /** Draws the legend to the right of the curve if there is space, otherwise above it. */
    private String notes() {
        double x = Math.min(axes.x(slowest()) + NOTE_GAP, Axes.LEFT + Axes.PANEL_WIDTH * 0.62);
        int most = figures.maxConcurrentQueries();
        return legend(x, top + 22, style + " waiting", "callers waiting for an answer")
                + legend(x, top + 44, style, "queries running, at most %,d at once".formatted(most));
    }

    private static String legend(double x, double y, String styles, String text) {
        return String.format(
                        Locale.ROOT,
                        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\"/>%n",
                        styles,
                        x,
                        y - 10)
                + Svg.text("note", x + 19, y + 0.5, "start", text);
    }

    private String point(char command, double atMillis, double count) {
        return String.format(Locale.ROOT, "%s%.1f,%.1f", command, axes.x(atMillis), axes.y(top, count));
    }

    private double slowest() {
        return figures.latencies().millisAt(100);
    }

    private static String time(double millis) {
        return millis >= MILLIS_PER_SECOND
                ? "%.1f s".formatted(millis / MILLIS_PER_SECOND)
                : "%.0f ms".formatted(millis);
    }
}
