package io.stampedeguard.benchmarks.report;

import io.stampedeguard.benchmarks.result.Spread;
import io.stampedeguard.testbed.program.Svg;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One figure of several peers as horizontal bars from zero to the median, each with a line over its range. */
final class Bars {
    private static final int WIDTH = 720;
    private static final int LEFT = 170;
    private static final int RIGHT = 170;
    private static final int TOP = 34;
    private static final int STEP = 26;
    private static final int THICKNESS = 16;
    private static final String STYLE = """
              .bar { fill: #6b8fd6; }
              .ours { fill: #1a7f37; }
              .range { stroke: #3d4450; stroke-width: 1.5; }
              @media (prefers-color-scheme: dark) {
                .ours { fill: #56d364; }
                .range { stroke: #c9d1d9; }
              }
            """;

    private Bars() {}

    /** Returns the picture; a peer without the figure has {@code null}. */
    static String of(String title, Map<String, @Nullable Spread> peers) {
        int height = TOP + STEP * peers.size() + 8;
        double most = peers.values().stream()
                .mapToDouble(spread -> spread == null ? 0 : spread.most())
                .max()
                .orElse(0);
        StringBuilder svg = new StringBuilder(Svg.begin(WIDTH, height, title, STYLE));
        svg.append(Svg.text("note", 12, 20, "start", title));
        int row = 0;
        for (Map.Entry<String, @Nullable Spread> peer : peers.entrySet()) {
            double top = TOP + (double) STEP * row++;
            double base = top + THICKNESS - 4;
            Spread spread = peer.getValue();
            svg.append(Svg.text("tick", LEFT - 8.0, base, "end", peer.getKey()));
            if (spread == null) {
                svg.append(Svg.text("tick", LEFT, base, "start", "no figure"));
            } else {
                svg.append(bar(peer.getKey(), spread, most, top));
                svg.append(Svg.text("tick", x(spread.most(), most) + 8, base, "start", spread.words()));
            }
        }
        return svg.append(Svg.line("base", LEFT, TOP - 4.0, LEFT, height - 6.0))
                .append(Svg.END)
                .toString();
    }

    private static String bar(String peer, Spread spread, double most, double top) {
        String bar = String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>%n",
                peer.startsWith("guarded") ? "ours" : "bar",
                LEFT,
                top,
                x(spread.median(), most) - LEFT,
                THICKNESS);
        double middle = top + THICKNESS / 2.0;
        return bar + Svg.line("range", x(spread.least(), most), middle, x(spread.most(), most), middle);
    }

    private static double x(double value, double most) {
        return most == 0 ? LEFT : LEFT + (WIDTH - LEFT - RIGHT) * Math.max(0, value) / most;
    }
}
