package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Dashboard and alerts use the metrics that two working caches on a real Redis export, and all of them. */
class DashboardTest {
    /** Prometheus itself adds these to each series. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    /** Exported but not shown, with the reason. */
    private static final Map<String, String> NOT_SHOWN = Map.of(
            "cache_stampede_fleet_processes",
            "zero without an originBudget; with one, the panel of the load permits shows what follows from it",
            "cache_stampede_loads_unleased_total",
            "zero while the store answers; in an outage, it says of the loads in their panel why they had no lease");

    private static final Pattern VARIABLE = Pattern.compile("label_values\\((.*), (\\w+)\\)");

    private static Exposition exported;

    @BeforeAll
    static void scrapeAWorkingCache() throws Exception {
        try (WatchedFleet fleet = new WatchedFleet();
                Traffic traffic = Traffic.on(fleet.processes()).withTrouble(fleet.processes())) {
            WatchedProcess watched = fleet.processes().get(0);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> watched.scrape().lines().anyMatch(DashboardTest::tellsOfLoads));
            exported = new Exposition(watched.scrape());
            assertThat(traffic.unexpected()).isEmpty();
        }
    }

    private static boolean tellsOfLoads(String line) {
        return line.startsWith("cache_stampede_loads_seconds_count") && line.contains("stored") && !line.endsWith(" 0");
    }

    @Test
    void everyMetricThatIsNamedIsExported() {
        assertThat(DashboardFiles.allQueries())
                .hasSizeGreaterThan(60)
                .allSatisfy(query -> assertThat(PromQl.parse(query.expression()).selectors())
                        .isNotEmpty()
                        .extracting(PromQl.Selector::metric)
                        .allSatisfy(metric -> assertThat(exported.metrics()).contains(metric)));
    }

    @Test
    void everyLabelThatIsNamedIsThereAndHasTheValueAskedFor() {
        assertThat(DashboardFiles.allQueries())
                .allSatisfy(query -> assertThat(PromQl.parse(query.expression()).selectors())
                        .allSatisfy(DashboardTest::hasItsLabels));
    }

    private static void hasItsLabels(PromQl.Selector selector) {
        selector.labels().forEach((label, values) -> {
            if (!OF_PROMETHEUS.contains(label)) {
                assertThat(exported.labels(selector.metric())).contains(label);
                assertThat(values)
                        .allSatisfy(value -> assertThat(value.startsWith("$")
                                        || exported.values(selector.metric(), label)
                                                .contains(value))
                                .as("%s{%s=\"%s\"}", selector.metric(), label, value)
                                .isTrue());
            }
        });
    }

    @Test
    void everyLabelThatIsGroupedByIsThere() {
        assertThat(DashboardFiles.allQueries()).allSatisfy(query -> {
            PromQl parsed = PromQl.parse(query.expression());
            Set<String> labels = new HashSet<>(parsed.groupedBy());
            labels.removeAll(OF_PROMETHEUS);
            assertThat(parsed.selectors())
                    .allSatisfy(selector ->
                            assertThat(exported.labels(selector.metric())).containsAll(labels));
        });
    }

    @Test
    void legendsNameLabelsThatAreGroupedBy() {
        assertThat(DashboardFiles.panelQueries()).allSatisfy(query -> {
            assertThat(query.legend()).isNotBlank();
            assertThat(PromQl.parse(query.expression()).groupedBy()).containsAll(query.legendLabels());
        });
    }

    @Test
    void theVariablesAreReadFromWhatIsExported() {
        List<String> variables = DashboardFiles.elements(
                        DashboardFiles.dashboard().get("templating").get("list"))
                .filter(variable -> variable.get("type").asString().equals("query"))
                .map(variable -> variable.get("query").get("query").asString())
                .toList();

        assertThat(variables).hasSize(2).allSatisfy(variable -> {
            MatchResult parts = VARIABLE.matcher(variable).results().findFirst().orElseThrow();
            PromQl.Selector selector = PromQl.parse(parts.group(1)).selectors().get(0);
            assertThat(exported.metrics()).contains(selector.metric());
            assertThat(Stream.concat(OF_PROMETHEUS.stream(), exported.labels(selector.metric()).stream()))
                    .contains(parts.group(2));
        });
    }

    @Test
    void everythingThatIsExportedIsShownOrHasAReasonNotToBe() {
        Set<String> shown = DashboardFiles.allQueries().stream()
                .flatMap(query -> PromQl.parse(query.expression()).selectors().stream())
                .map(PromQl.Selector::metric)
                .collect(Collectors.toSet());
        Set<String> families = exported.families().stream()
                .filter(family -> family.startsWith("cache_"))
                .collect(Collectors.toSet());

        assertThat(families).hasSizeGreaterThan(25).allSatisfy(family -> {
            Set<String> uses = exported.metricsOf(family);
            uses.retainAll(shown);
            assertThat(!uses.isEmpty() || NOT_SHOWN.containsKey(family))
                    .as("some panel or alert shows %s", family)
                    .isTrue();
        });
        assertThat(families).containsAll(NOT_SHOWN.keySet());
    }

    @Test
    void everyPanelThatNeedsHistogramsSaysSoAndNoOther() {
        for (JsonNode panel : DashboardFiles.panels()) {
            boolean says = panel.get("description").asString().contains("histograms(true)");
            assertThat(says)
                    .as(panel.get("title").asString())
                    .isEqualTo(DashboardFiles.queriesOf(panel).anyMatch(Query::needsHistograms));
        }
    }

    @Test
    void onlyTheHeatmapAndNoAlertIsEmptyWithoutHistograms() {
        assertThat(DashboardFiles.panels())
                .filteredOn(panel -> DashboardFiles.queriesOf(panel).allMatch(Query::needsHistograms))
                .extracting(panel -> panel.get("type").asString())
                .containsExactly("heatmap");
        assertThat(DashboardFiles.alertQueries()).noneMatch(Query::needsHistograms);
    }

    @Test
    void everyPanelSaysWhatIsGoodAndBadInOneSentenceAndHasAUnit() {
        assertThat(DashboardFiles.rows())
                .containsExactly(
                        "Effectiveness",
                        "Load on the origin",
                        "Waiting",
                        "Staleness",
                        "Penetration",
                        "Redis",
                        "Near cache");
        for (JsonNode panel : DashboardFiles.panels()) {
            String title = panel.get("title").asString();
            assertThat(title).isNotBlank();
            assertThat(panel.get("description").asString())
                    .as(title)
                    .contains("good")
                    .endsWith(".");
            assertThat(unitOf(panel)).as(title).isNotBlank();
        }
        assertThat(DashboardFiles.panels().stream().map(panel -> panel.get("id").asInt()))
                .doesNotHaveDuplicates();
    }

    private static String unitOf(JsonNode panel) {
        return panel.get("type").asString().equals("heatmap")
                ? panel.get("options").get("yAxis").get("unit").asString()
                : panel.get("fieldConfig").get("defaults").get("unit").asString();
    }

    @Test
    void everyAlertIsTriedOnSeriesThatAreToSetItOff() throws Exception {
        String tried = Files.readString(DashboardFiles.ALERTS_TEST);

        assertThat(DashboardFiles.alerts())
                .extracting(alert ->
                        "{alertname=\"%s\"".formatted(alert.get("alert").asString()))
                .allSatisfy(expected -> assertThat(tried).contains(expected));
    }

    @Test
    void everyAlertHasASummaryAndARunbookOfAFewSentencesThatNamesOnlyAlertsThereAre() {
        List<String> names = DashboardFiles.alerts().stream()
                .map(alert -> alert.get("alert").asString())
                .toList();

        assertThat(names).doesNotHaveDuplicates();
        for (JsonNode alert : DashboardFiles.alerts()) {
            String name = alert.get("alert").asString();
            String runbook = alert.get("annotations").get("runbook").asString();
            assertThat(alert.get("annotations").get("summary").asString())
                    .as(name)
                    .contains("{{ $labels.cache }}");
            assertThat(runbook.split("[.?] ")).as(name).hasSizeBetween(2, 5);
            assertThat(Pattern.compile("\\bCache[A-Z][a-z]\\w+")
                            .matcher(runbook)
                            .results())
                    .as(name)
                    .extracting(MatchResult::group)
                    .isSubsetOf(names);
        }
    }
}
