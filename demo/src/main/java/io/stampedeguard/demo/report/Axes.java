package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.testbed.program.Svg;

/**
 * The scales that the panels of a picture share: the length of the time axis from the release, the distance of its ticks, and the
 * height of the other axis.
 */
record Axes(double millis, double stepMillis, int callers) {
    static final int WIDTH = 960;
    static final int LEFT = 56;
    static final int PANEL_WIDTH = WIDTH - LEFT - 24;
    static final int PANEL_HEIGHT = 130;

    private static final int MOST_TICKS = 10;
    private static final double[] ROUND = {1, 2, 5};
    private static final double MILLIS_PER_SECOND = 1_000;

    static Axes around(Figures one, Figures other) {
        double longest =
                Math.max(one.latencies().millisAt(100), other.latencies().millisAt(100));
        double step = roundStep(longest / MOST_TICKS);
        return new Axes(Math.ceil(longest * 1.02 / step) * step, step, Math.max(one.allCallers(), other.allCallers()));
    }

    /** Returns the smallest of 1, 2, 5, 10, 20, 50 … that is not below a number. */
    private static double roundStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double round : ROUND) {
            if (round * power >= least) {
                return round * power;
            }
        }
        return 10 * power;
    }

    double x(double atMillis) {
        return LEFT + PANEL_WIDTH * Math.min(atMillis, millis) / millis;
    }

    double y(int top, double count) {
        return top + PANEL_HEIGHT * (1 - count / callers);
    }

    String grid(int top) {
        StringBuilder lines = new StringBuilder();
        for (int count : new int[] {callers, callers / 2}) {
            lines.append(Svg.line("grid", LEFT, y(top, count), LEFT + PANEL_WIDTH, y(top, count)));
        }
        for (int count : new int[] {callers, callers / 2, 0}) {
            lines.append(Svg.text("tick", LEFT - 8, y(top, count) + 4, "end", Integer.toString(count)));
        }
        return lines.toString();
    }

    String base(int top) {
        return Svg.line("base", LEFT, y(top, 0), LEFT + PANEL_WIDTH, y(top, 0));
    }

    String timeLabels(int bottom) {
        StringBuilder labels = new StringBuilder();
        boolean seconds = millis >= MILLIS_PER_SECOND;
        for (int i = 0; i * stepMillis <= millis + 1e-6; i++) {
            double at = i * stepMillis;
            labels.append(Svg.line("base", x(at), bottom, x(at), bottom + 5));
            String number = seconds ? number(at / MILLIS_PER_SECOND) + " s" : number(at) + " ms";
            labels.append(Svg.text("tick", x(at), bottom + 20, "middle", number));
        }
        return labels.append(Svg.text("tick", LEFT, bottom + 44, "start", "time since all callers asked"))
                .toString();
    }

    private static String number(double number) {
        return number == Math.rint(number) ? "%.0f".formatted(number) : "%.1f".formatted(number);
    }
}
