package io.stampedeguard.redis.chaos;

import io.stampedeguard.redis.chaos.ChaosTimeline.Made;
import io.stampedeguard.redis.chaos.ChaosTimeline.Second;
import io.stampedeguard.testbed.program.Svg;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A timeline as SVG: above, the faults, and where they are, a shade over all panels; below, calls, their p99 on a logarithmic
 * scale, and queries of the database, for each second; at the bottom, the states of the circuit breakers, if they are known.
 */
final class ChaosPicture {
    private static final int WIDTH = 960;
    private static final int LEFT = 64;
    private static final int PANEL_WIDTH = WIDTH - LEFT - 24;
    private static final int PANEL_HEIGHT = 96;
    private static final int PANEL_STEP = PANEL_HEIGHT + 44;
    private static final int FAULTS_TOP = 56;
    private static final int FAULT_ROWS = 4;
    private static final int ROW_STEP = 20;
    private static final int FIRST_PANEL = FAULTS_TOP + FAULT_ROWS * ROW_STEP + 36;
    private static final int BREAKER_TOP = FIRST_PANEL + 3 * PANEL_STEP - 20;
    private static final int BREAKER_HEIGHT = 14;
    private static final int BOTTOM = BREAKER_TOP + BREAKER_HEIGHT;
    private static final int HEIGHT = BOTTOM + 40;
    private static final int TICKS = 12;
    private static final double SHORTEST_MILLIS = 0.01;

    private static final String STYLE = """
              .fault { fill: #d1242f; opacity: 0.75; }
              .shade { fill: #d1242f; opacity: 0.08; }
              .curve { fill: none; stroke: #1a7f37; stroke-width: 1.5; }
              .closed { fill: #1a7f37; }
              .open { fill: #d1242f; }
              .half_open { fill: #bf8700; }
              @media (prefers-color-scheme: dark) {
                .fault, .shade { fill: #ff7b72; }
                .curve { stroke: #56d364; }
                .closed { fill: #56d364; }
                .open { fill: #ff7b72; }
                .half_open { fill: #d29922; }
              }
            """;

    private final ChaosTimeline timeline;
    private final StringBuilder svg = new StringBuilder();

    private ChaosPicture(ChaosTimeline timeline) {
        this.timeline = timeline;
    }

    /** A panel: how high a value is on its axis, from 0 to 1, and the ticks of the axis. */
    private record Scale(double most, boolean logarithmic) {
        double share(double value) {
            double share = logarithmic
                    ? Math.log10(Math.max(value, SHORTEST_MILLIS) / SHORTEST_MILLIS)
                            / Math.log10(most / SHORTEST_MILLIS)
                    : value / most;
            return Math.min(1, Math.max(0, share));
        }

        List<Double> ticks() {
            return logarithmic ? List.of(0.1, 1.0, 10.0, 100.0, 1_000.0, 10_000.0) : List.of(0.0, most / 2, most);
        }
    }

    /** Returns the text of an SVG file. */
    static String of(ChaosTimeline timeline) {
        return new ChaosPicture(timeline).draw();
    }

    private String draw() {
        int callers = ChaosStage.PROCESSES * ChaosMember.THREADS;
        svg.append(Svg.begin(WIDTH, HEIGHT, "Calls, latency, and queries while faults follow each other", STYLE))
                .append(Svg.text(
                        "said",
                        LEFT,
                        30,
                        "start",
                        "%d callers in %d processes while faults follow each other (seed %d)"
                                .formatted(callers, ChaosStage.PROCESSES, timeline.seed())));
        for (int i = 0; i < timeline.faults().size(); i++) {
            fault(timeline.faults().get(i), FAULTS_TOP + i % FAULT_ROWS * ROW_STEP);
        }
        panel(
                0,
                "calls per second",
                linear(second -> second.calls().count()),
                second -> second.calls().count());
        panel(1, "p99 of the calls, ms", new Scale(10_000, true), second -> second.millisAt(99));
        panel(2, "queries per second", linear(Second::queries), Second::queries);
        breakers();
        timeLabels();
        return svg.append(Svg.END).toString();
    }

    private void fault(Made made, int top) {
        double from = x(made.begin().toMillis() / 1_000.0);
        double to = Math.max(from + 2, x(made.end().toMillis() / 1_000.0));
        rect("fault", from, top, to - from, 4);
        rect("shade", from, FIRST_PANEL, to - from, BOTTOM - FIRST_PANEL);
        boolean late = from > LEFT + PANEL_WIDTH * 0.85;
        svg.append(Svg.text(
                "tick",
                late ? to : from,
                top - 3.0,
                late ? "end" : "start",
                made.fault().toString()));
    }

    private Scale linear(ToDoubleFunction<Second> value) {
        double most = timeline.seconds().stream().mapToDouble(value).max().orElse(0);
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, most))));
        return new Scale(Math.ceil(Math.max(1, most) / power * 2) / 2 * power, false);
    }

    private void panel(int number, String name, Scale scale, ToDoubleFunction<Second> value) {
        int top = FIRST_PANEL + number * PANEL_STEP;
        svg.append(Svg.text("note", LEFT, top - 10.0, "start", name));
        for (double tick : scale.ticks()) {
            double y = top + PANEL_HEIGHT * (1 - scale.share(tick));
            svg.append(Svg.line("grid", LEFT, y, (double) LEFT + PANEL_WIDTH, y));
            svg.append(Svg.text("tick", LEFT - 8.0, y + 4, "end", number(tick)));
        }
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < timeline.seconds().size(); i++) {
            double y = top
                    + PANEL_HEIGHT
                            * (1
                                    - scale.share(value.applyAsDouble(
                                            timeline.seconds().get(i))));
            path.append(String.format(Locale.ROOT, "%s%.1f,%.1f ", i == 0 ? "M" : "L", x(i + 0.5), y));
        }
        svg.append(
                "<path class=\"curve\" d=\"%s\"/>%n".formatted(path.toString().trim()));
    }

    /** The worst state of all processes in each second. */
    private void breakers() {
        boolean known = timeline.seconds().stream()
                .anyMatch(second -> !second.breakers().isEmpty());
        if (!known) {
            return;
        }
        svg.append(Svg.text("note", LEFT, BREAKER_TOP - 6.0, "start", "circuit breakers: closed, half open, open"));
        for (int i = 0; i < timeline.seconds().size(); i++) {
            String worst = List.of("OPEN", "HALF_OPEN", "CLOSED").stream()
                    .filter(timeline.seconds().get(i).breakers()::contains)
                    .findFirst()
                    .orElse("");
            if (!worst.isEmpty()) {
                rect(worst.toLowerCase(Locale.ROOT), x(i), BREAKER_TOP, x(i + 1.0) - x(i), BREAKER_HEIGHT);
            }
        }
    }

    private void timeLabels() {
        svg.append(Svg.line("base", LEFT, BOTTOM, (double) LEFT + PANEL_WIDTH, BOTTOM));
        int seconds = timeline.seconds().size();
        int step = Math.max(1, (seconds + TICKS - 1) / TICKS);
        for (int i = 0; i <= seconds; i += step) {
            svg.append(Svg.text("tick", x(i), BOTTOM + 20.0, "middle", i + " s"));
        }
    }

    private double x(double second) {
        int seconds = timeline.seconds().size();
        return LEFT + PANEL_WIDTH * Math.min(second, seconds) / seconds;
    }

    private void rect(String style, double x, double y, double width, double height) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>%n",
                style,
                x,
                y,
                width,
                height));
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, number == Math.rint(number) ? "%,.0f" : "%.1f", number);
    }
}
