package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A real Prometheus scrapes two working caches while their Redis is stopped and started again, and evaluates each
 * expression of dashboard and alerts. A panel that shows nothing of such a run is wrong.
 */
@Tag("proof")
class DashboardOnPrometheusTest {
    private static final String WITHIN = "5s";
    private static final String RANGE = "60s";
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Optional<Path> PROMETHEUS = PrometheusProcess.program("prometheus");
    private static final Optional<Path> PROMTOOL = PrometheusProcess.program("promtool");

    @TempDir
    Path directory;

    @BeforeEach
    void withPrometheus() {
        assumeTrue(
                PROMETHEUS.isPresent() && PROMTOOL.isPresent(),
                "skipped: prometheus and promtool are not on the PATH (Debian's package prometheus has both)");
    }

    @Test
    void everyPanelShowsWhatHappensAndEveryAlertCanBeEvaluated() throws Exception {
        try (WatchedFleet fleet = new WatchedFleet();
                PrometheusProcess prometheus = PrometheusProcess.start(
                        PROMETHEUS.orElseThrow(),
                        directory,
                        fleet.processes().stream().map(WatchedProcess::address).toList());
                Traffic traffic = Traffic.on(fleet.processes()).withTrouble(fleet.processes())) {
            double start = now();
            awaitPositive(prometheus, "sum(cache_stampede_stale_age_seconds_count)");
            awaitPositive(prometheus, "sum(cache_stampede_loads_stuck)");
            fleet.origin().takes(SlowOrigin.USUAL.multipliedBy(20));
            awaitPositive(prometheus, "sum(cache_stampede_origin_state)");
            fleet.origin().takes(SlowOrigin.USUAL);
            fleet.redis().kill();
            awaitPositive(prometheus, "sum(cache_stampede_lookups_total{answer=\"near_degraded\"})");
            fleet.redis().restart();
            await().atMost(PATIENCE).until(fleet.processes().get(0)::asksRedis);
            fleet.buildFilter();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(2))
                    .untilAsserted(() -> everyPanelShows(prometheus, start));

            for (Query query : DashboardFiles.alertQueries()) {
                assertThat(status(prometheus.query(query.expression())))
                        .as("%s", query)
                        .isEqualTo("success");
            }
            await().atMost(PATIENCE).untilAsserted(() -> everyRuleIsHealthy(prometheus));
            assertThat(traffic.unexpected()).isEmpty();
        }
    }

    private static void everyPanelShows(PrometheusProcess prometheus, double start) {
        double end = now();
        assertThat(DashboardFiles.panelQueries())
                .allSatisfy(query -> assertThat(highest(prometheus.range(query.filledIn(WITHIN, RANGE), start, end)))
                        .isPositive());
    }

    private static void awaitPositive(PrometheusProcess prometheus, String expression) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> assertThat(highest(prometheus.range(expression, now() - 1, now())))
                        .as(expression)
                        .isPositive());
    }

    /** The highest value of all series of an answer; not-a-number values are ignored. */
    private static double highest(JsonNode answer) {
        assertThat(status(answer)).as("%s", answer).isEqualTo("success");
        return DashboardFiles.elements(answer.get("data").get("result"))
                .flatMap(series -> DashboardFiles.elements(series.get("values")))
                .mapToDouble(sample -> Double.parseDouble(
                        sample.get(1).asString().replace("+Inf", "Infinity").replace("-Inf", "-Infinity")))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(Double.NEGATIVE_INFINITY);
    }

    private static void everyRuleIsHealthy(PrometheusProcess prometheus) throws Exception {
        List<String> health = DashboardFiles.elements(
                        prometheus.rules().get("data").get("groups"))
                .flatMap(group -> DashboardFiles.elements(group.get("rules")))
                .map(rule -> rule.get("health").asString())
                .toList();
        assertThat(health).hasSize(DashboardFiles.alerts().size()).containsOnly("ok");
    }

    private static String status(JsonNode answer) {
        return answer.get("status").asString();
    }

    private static double now() {
        return System.currentTimeMillis() / 1e3;
    }

    @Test
    void promtoolAcceptsTheAlertsAndTheConfiguration() throws Exception {
        assertThatPromtoolAccepts("check", "rules", DashboardFiles.ALERTS.toString());
        assertThatPromtoolAccepts("check", "config", DashboardFiles.SCRAPES.toString());
    }

    @Test
    void alertsFireOnTheirProblemsAndNotOnHealthyCaches() throws Exception {
        assertThatPromtoolAccepts("test", "rules", DashboardFiles.ALERTS_TEST.toString());
    }

    private static void assertThatPromtoolAccepts(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(PROMTOOL.orElseThrow().toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
