package io.stampedeguard.simulation;

import io.stampedeguard.testbed.program.Svg;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The figures of one scenario by the number of processes, as panels with logarithmic axes: the mean of all seeds, one line for
 * each number of keys. A value of zero is drawn on the lower edge. <em>Immutable.</em>
 */
final class ScalePlot {
    private static final int COLUMNS = 2;
    private static final int PANEL_WIDTH = 400;
    private static final int PANEL_HEIGHT = 230;
    private static final int TOP = 60;
    private static final int LEFT = 70;
    private static final int RIGHT = 80;
    private static final int ABOVE = 30;
    private static final int BELOW = 45;
    private static final String STYLE = """
              .line { fill: none; stroke: #2563eb; stroke-width: 2; }
              .second { fill: none; stroke: #d97706; stroke-width: 2; }
              .third { fill: none; stroke: #059669; stroke-width: 2; }
            """;
    private static final List<String> LINES = List.of("line", "second", "third");

    private static final List<Panel> PANELS = List.of(
            new Panel("Loads per expiry", "loadsPerExpiry"),
            new Panel("Origin: most loads at once", "originPeak"),
            new Panel("Redis commands per process and expiry", "commandsPerProcessAndExpiry"),
            new Panel("Redis commands per second", "commandsPerSecond"),
            new Panel("Bytes per second from Redis", "bytesOutPerSecond"),
            new Panel("Answer after the load's end, p99, ms", "wakeUpP99Ms"));

    private final Scenario scenario;
    private final List<Run> runs;

    ScalePlot(Scenario scenario, List<Run> runs) {
        this.scenario = scenario;
        this.runs = runs;
    }

    private record Panel(String title, String figure) {}

    /** A logarithmic scale from one power of ten to another. */
    private record Scale(int from, int to, double start, double length) {
        static Scale over(DoubleStream values, double start, double length) {
            double[] logarithms =
                    values.filter(value -> value > 0).map(Math::log10).toArray();
            double least = DoubleStream.of(logarithms).min().orElse(0);
            double most = DoubleStream.of(logarithms).max().orElse(0);
            int from = (int) Math.floor(least);
            return new Scale(from, Math.max(from + 1, (int) Math.ceil(most)), start, length);
        }

        double at(double value) {
            double logarithm = value <= 0 ? from : Math.log10(value);
            return start + length * (logarithm - from) / (to - from);
        }

        IntStream powers() {
            return IntStream.rangeClosed(from, to);
        }
    }

    String toSvg() {
        int height = TOP + (PANELS.size() + 1) / COLUMNS * PANEL_HEIGHT;
        String title = scenario.option() + ": " + scenario.about();
        StringBuilder svg = new StringBuilder(Svg.begin(COLUMNS * PANEL_WIDTH, height, title, STYLE));
        svg.append(Svg.text("name", LEFT / 2, 26, "start", "./stampede simulate: " + scenario.option()));
        svg.append(Svg.text("note", LEFT / 2, 46, "start", scenario.about()));
        for (int i = 0; i < PANELS.size(); i++) {
            draw(svg, PANELS.get(i), i % COLUMNS * PANEL_WIDTH, TOP + i / COLUMNS * PANEL_HEIGHT);
        }
        return svg.append(Svg.END).toString();
    }

    private void draw(StringBuilder svg, Panel panel, int left, int top) {
        double bottom = top + PANEL_HEIGHT - BELOW;
        double right = left + PANEL_WIDTH - RIGHT;
        Scale x = Scale.over(
                runs.stream().mapToDouble(run -> run.setting().processes()), left + LEFT, PANEL_WIDTH - LEFT - RIGHT);
        Scale y = Scale.over(
                runs.stream().mapToDouble(run -> run.figure(panel.figure)), bottom, -(PANEL_HEIGHT - ABOVE - BELOW));
        svg.append(Svg.text("note", left + LEFT, top + 16, "start", panel.title));
        y.powers().forEach(power -> {
            double height = y.at(Math.pow(10, power));
            svg.append(Svg.line(power == y.from ? "base" : "grid", left + LEFT, height, right, height));
            svg.append(Svg.text("tick", left + LEFT - 6, height + 4, "end", power(power)));
        });
        x.powers()
                .forEach(power ->
                        svg.append(Svg.text("tick", x.at(Math.pow(10, power)), bottom + 16, "middle", power(power))));
        svg.append(Svg.text("tick", (left + LEFT + right) / 2, bottom + 32, "middle", "processes"));
        int[] keys =
                runs.stream().mapToInt(run -> run.setting().keys()).distinct().toArray();
        for (int i = 0; i < keys.length; i++) {
            line(svg, LINES.get(i % LINES.size()), keys[i], keys.length > 1, panel, x, y);
        }
    }

    private void line(StringBuilder svg, String style, int keys, boolean named, Panel panel, Scale x, Scale y) {
        int[] sizes = ofKeys(keys)
                .mapToInt(run -> run.setting().processes())
                .distinct()
                .sorted()
                .toArray();
        double height = y.start;
        StringBuilder points = new StringBuilder();
        for (int size : sizes) {
            height = y.at(mean(keys, size, panel.figure));
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x.at(size), height));
        }
        svg.append("<polyline class=\"%s\" points=\"%s\"/>%n"
                .formatted(style, points.toString().strip()));
        double last = mean(keys, sizes[sizes.length - 1], panel.figure);
        String label = String.format(Locale.ROOT, last < 10 ? "%,.2f" : "%,.0f", last)
                + (named ? String.format(Locale.ROOT, " (%,d keys)", keys) : "");
        svg.append(Svg.text("tick", x.at(sizes[sizes.length - 1]) + 4, height - 4, "start", label));
    }

    private Stream<Run> ofKeys(int keys) {
        return runs.stream().filter(run -> run.setting().keys() == keys);
    }

    private double mean(int keys, int size, String figure) {
        return ofKeys(keys)
                .filter(run -> run.setting().processes() == size)
                .mapToDouble(run -> run.figure(figure))
                .average()
                .orElse(0);
    }

    private static String power(int power) {
        return BigDecimal.ONE.scaleByPowerOfTen(power).toPlainString();
    }
}
