package io.stampedeguard.benchmarks.report;

import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.testbed.program.Svg;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One figure of several peers, second by second, as a curve each; the seconds of the fault are shaded. */
final class Curves {
    private static final int WIDTH = 720;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 34;
    private static final int PANEL = 150;
    private static final int NAMES = 18;
    private static final int LABEL_STEP = 5;
    private static final List<String> COLOURS = List.of(
            "#1a7f37", "#d1242f", "#0969da", "#bf8700", "#8250df", "#bf3989", "#57606a", "#1b7c83", "#953800",
            "#6b8fd6");

    private static final String STYLE = """
              .fault { fill: #d1242f; opacity: 0.08; }
              .curve { fill: none; stroke-width: 1.5; }
            """;

    private Curves() {}

    /** Returns the picture; each list begins with second 0. */
    static String of(String title, String figure, Map<String, List<Second>> peers) {
        int length = peers.values().stream().mapToInt(List::size).max().orElse(1);
        double most = peers.values().stream()
                .flatMap(List::stream)
                .mapToDouble(second -> value(second, figure))
                .max()
                .orElse(0);
        int bottom = TOP + PANEL;
        StringBuilder svg = new StringBuilder(Svg.begin(WIDTH, bottom + 28 + NAMES * peers.size() + 8, title, STYLE));
        svg.append(Svg.text("note", 12, 20, "start", title));
        shade(svg, peers.values().iterator().next(), length);
        for (double share : new double[] {0, 0.5, 1}) {
            double y = bottom - PANEL * share;
            svg.append(Svg.line("grid", LEFT, y, (double) WIDTH - RIGHT, y))
                    .append(Svg.text(
                            "tick", LEFT - 8.0, y + 4, "end", String.format(Locale.ROOT, "%,.0f", most * share)));
        }
        for (int i = 0; i <= length; i += LABEL_STEP) {
            svg.append(Svg.text("tick", x(i, length), bottom + 18.0, "middle", i + " s"));
        }
        int number = 0;
        for (Map.Entry<String, List<Second>> peer : peers.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            double y = bottom + 28.0 + NAMES * (number + 0.5);
            svg.append(path(peer.getValue(), figure, most, length, colour))
                    .append(String.format(
                            Locale.ROOT,
                            "<path class=\"curve\" stroke=\"%s\" d=\"M%d,%.1f h24\"/>%n",
                            colour,
                            LEFT,
                            y - 4))
                    .append(Svg.text("tick", LEFT + 32.0, y, "start", peer.getKey()));
            number++;
        }
        return svg.append(Svg.END).toString();
    }

    private static void shade(StringBuilder svg, List<Second> seconds, int length) {
        for (Second second : seconds) {
            if (second.phase().equals("fault")) {
                double from = x(second.number(), length);
                svg.append(String.format(
                        Locale.ROOT,
                        "<rect class=\"fault\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                        from,
                        TOP,
                        x(second.number() + 1, length) - from,
                        PANEL));
            }
        }
    }

    private static String path(List<Second> seconds, String figure, double most, int length, String colour) {
        StringBuilder path = new StringBuilder();
        for (Second second : seconds) {
            double share = most == 0 ? 0 : value(second, figure) / most;
            path.append(String.format(
                    Locale.ROOT,
                    "%s%.1f,%.1f ",
                    path.isEmpty() ? "M" : "L",
                    x(second.number() + 0.5, length),
                    TOP + PANEL * (1 - share)));
        }
        return "<path class=\"curve\" stroke=\"%s\" d=\"%s\"/>%n"
                .formatted(colour, path.toString().trim());
    }

    private static double value(Second second, String figure) {
        Number value = second.figures().values().get(figure);
        return value == null ? 0 : value.doubleValue();
    }

    private static double x(double second, int length) {
        return LEFT + (WIDTH - LEFT - RIGHT) * second / length;
    }
}
