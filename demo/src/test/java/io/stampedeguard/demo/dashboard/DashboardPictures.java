package io.stampedeguard.demo.dashboard;

import static org.awaitility.Awaitility.await;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tools.jackson.databind.JsonNode;

/**
 * A program that draws panels of the dashboard for {@code docs/dashboard.md}: it runs two processes for a minute,
 * causes a stampede, makes the origin slow, and stops Redis, all observed by a real Prometheus, and draws its answers
 * to the panels' own expressions. It is run by hand: {@code DashboardPictures DIRECTORY}.
 */
final class DashboardPictures {
    private static final String RATE_INTERVAL = "4s";
    private static final Duration PHASE = Duration.ofSeconds(15);
    private static final Duration SLOW = Duration.ofMillis(400);
    private static final Duration FAST = Duration.ofMillis(20);
    private static final int WIDTH = 900;
    private static final int HEIGHT = 300;
    /**
     * Twice the size, for high-resolution screens; SVG would contain each letter as a shape of its own, which is far
     * larger.
     */
    private static final int DPI = 144;

    private static final Map<String, String> PANELS = Map.of(
            "Requests and loads", "requests-and-loads",
            "Answers by source", "answers",
            "Load time", "load-time",
            "Time waited", "time-waited",
            "Failed store calls", "failed-store-calls",
            "Stale answers", "stale-answers");

    private final PrometheusProcess prometheus;
    private final Path pictures;
    private final List<Moment> moments = new ArrayList<>();

    /** The events and their times, in seconds of the epoch. */
    private record Moment(double at, String what) {}

    private DashboardPictures(PrometheusProcess prometheus, Path pictures) {
        this.prometheus = prometheus;
        this.pictures = pictures;
    }

    public static void main(String[] arguments) throws Exception {
        Path pictures = Files.createDirectories(Path.of(arguments[0]));
        Path directory = Files.createTempDirectory("stampede-prometheus-");
        Path binary = PrometheusProcess.program("prometheus").orElseThrow();
        try (WatchedFleet fleet = new WatchedFleet();
                PrometheusProcess prometheus = PrometheusProcess.start(
                        binary,
                        directory,
                        fleet.processes().stream().map(WatchedProcess::address).toList());
                Traffic traffic = Traffic.on(fleet.processes())) {
            DashboardPictures drawing = new DashboardPictures(prometheus, pictures);
            drawing.run(fleet);
            drawing.draw();
            traffic.unexpected().forEach(Throwable::printStackTrace);
        }
    }

    private void run(WatchedFleet fleet) throws InterruptedException {
        phase("normal");
        fleet.origin().takes(SLOW);
        phase("the origin is slow");
        fleet.origin().takes(FAST);
        phase("normal again");
        fleet.redis().kill();
        phase("Redis is down");
        fleet.redis().restart();
        await().until(fleet.processes().get(0)::asksRedis); // its circuit breaker is open until then
        fleet.buildFilter();
        phase("Redis is back, empty");
        moments.add(new Moment(now(), "end"));
    }

    private void phase(String what) throws InterruptedException {
        moments.add(new Moment(now(), what));
        Thread.sleep(PHASE.toMillis());
    }

    private static double now() {
        return System.currentTimeMillis() / 1e3;
    }

    private void draw() throws Exception {
        for (JsonNode panel : DashboardFiles.panels()) {
            String file = PANELS.get(panel.get("title").asString());
            if (file != null) {
                draw(panel, pictures.resolve("dashboard-" + file + ".png"));
            }
        }
    }

    private void draw(JsonNode panel, Path file) throws Exception {
        String title = panel.get("title").asString();
        String unit = panel.get("fieldConfig").get("defaults").get("unit").asString();
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(unit(unit))
                .build();
        style(chart.getStyler());
        int place = 0;
        for (Query query : DashboardFiles.queriesOf(panel).toList()) {
            JsonNode answer = prometheus.range(
                    query.filledIn(RATE_INTERVAL, "1m"),
                    moments.get(0).at(),
                    moments.get(moments.size() - 1).at());
            for (JsonNode series : answer.get("data").get("result")) {
                String name = name(query, series);
                add(chart, name, series, unit, GrafanaColors.of(panel, name, place++));
            }
        }
        write(chart, file);
    }

    private static String name(Query query, JsonNode series) {
        String name = query.legend();
        for (String label : query.legendLabels()) {
            name = name.replace(
                    "{{" + label + "}}", series.get("metric").get(label).asString());
        }
        return name;
    }

    private void add(XYChart chart, String name, JsonNode series, String unit, Color color) {
        List<Double> seconds = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        DashboardFiles.elements(series.get("values")).forEach(sample -> {
            seconds.add(sample.get(0).asDouble() - moments.get(0).at());
            values.add(Double.parseDouble(sample.get(1).asString()) * factor(unit));
        });
        // A port that changes with each run is useless to a reader.
        String legend = name.replaceAll(
                "127\\.0\\.0\\.1:\\d+ \\w+", "process " + (chart.getSeriesMap().size() + 1));
        if (values.stream().anyMatch(value -> value > 0)) {
            XYSeries drawn = chart.addSeries(legend, seconds, values);
            drawn.setMarker(SeriesMarkers.NONE);
            drawn.setLineColor(color);
        }
    }

    private static double factor(String unit) {
        return switch (unit) {
            case "percentunit" -> 100;
            case "s" -> 1_000;
            default -> 1;
        };
    }

    private static String unit(String unit) {
        return switch (unit) {
            case "percentunit" -> "%";
            case "s" -> "ms";
            case "reqps", "ops" -> "per second";
            default -> unit;
        };
    }

    private static void style(XYStyler styler) {
        Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
        styler.setBaseFont(font);
        styler.setChartTitleFont(font.deriveFont(Font.BOLD, 14f));
        styler.setChartTitleBoxVisible(false);
        styler.setLegendFont(font);
        styler.setAxisTickLabelsFont(font);
        styler.setAxisTitleFont(font);
        styler.setAnnotationTextFont(font.deriveFont(Font.ITALIC, 11f));
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(new Color(0xe5e7eb));
        styler.setYAxisMin(0.0);
        styler.setXAxisMin(0.0);
        styler.setXAxisDecimalPattern("0 s");
    }

    private void write(XYChart chart, Path file) throws IOException {
        double top = chart.getSeriesMap().values().stream()
                .flatMapToDouble(series -> java.util.Arrays.stream(series.getYData()))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(1);
        chart.getStyler().setYAxisMax(top * 1.2);
        for (int i = 0; i < moments.size() - 1; i++) {
            double from = moments.get(i).at() - moments.get(0).at();
            double to = moments.get(i + 1).at() - moments.get(0).at();
            if (i > 0) {
                chart.addAnnotation(new AnnotationLine(from, true, false));
            }
            chart.addAnnotation(new AnnotationText(moments.get(i).what(), (from + to) / 2, top * 1.12, false));
        }
        BitmapEncoder.saveBitmapWithDPI(chart, file.toString(), BitmapFormat.PNG, DPI);
        System.out.println(file + ": " + chart.getSeriesMap().keySet());
    }
}
