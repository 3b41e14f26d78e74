package io.stampedeguard.demo.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
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
    /** Prometheus itself adds these to each series, the namespace in Kubernetes only. */
    private static final Set<String> OF_PROMETHEUS = Set.of("namespace", "job", "instance");

    /** What counts requests of callers; all else is counted in operations. */
    private static final Set<String> OF_REQUESTS = Set.of(
            "cache_stampede_lookups_total", "cache_stampede_gets_total", "cache_stampede_stale_age_seconds_count");

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
    void everyNamedLabelExistsAndHasTheValueAskedFor() {
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
        List<JsonNode> variables = DashboardFiles.elements(
                        DashboardFiles.dashboard().get("templating").get("list"))
                .filter(variable -> variable.get("type").asString().equals("query"))
                .toList();

        assertThat(variables)
                .extracting(variable -> variable.get("name").asString())
                .containsExactly("namespace", "job", "instance", "cache");
        assertThat(variables).allSatisfy(variable -> {
            // A series without the label is selected as well.
            assertThat(variable.get("allValue").asString()).isEqualTo(".*");
            MatchResult parts = VARIABLE.matcher(
                            variable.get("query").get("query").asString())
                    .results()
                    .findFirst()
                    .orElseThrow();
            PromQl.Selector selector = PromQl.parse(parts.group(1)).selectors().get(0);
            assertThat(exported.metrics()).contains(selector.metric());
            assertThat(Stream.concat(OF_PROMETHEUS.stream(), exported.labels(selector.metric()).stream()))
                    .contains(parts.group(2));
        });
    }

    @Test
    void everyExportedMetricFamilyIsShownOrOmittedForAReason() {
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
    void everyPanelSaysWhatIsGoodAndHasAUnit() {
        assertThat(DashboardFiles.rowTitles())
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

    @Test
    void rowsAreCollapsedButForThreeAndNoPanelsOverlap() {
        int y = 0;
        for (JsonNode row : DashboardFiles.rows()) {
            boolean collapsed = row.get("collapsed").asBoolean();
            assertThat(collapsed)
                    .isEqualTo(!Set.of("Effectiveness", "Load on the origin", "Redis")
                            .contains(row.get("title").asString()));
            assertThat(row.get("panels").isEmpty()).isEqualTo(!collapsed);
            int top = row.get("gridPos").get("y").asInt();
            assertThat(top).isEqualTo(y);
            y = collapsed ? top + 1 : bottom(top);
        }
    }

    /** The end of the panels that follow a row, up to the next one. */
    private static int bottom(int top) {
        int next = DashboardFiles.rows().stream()
                .mapToInt(row -> row.get("gridPos").get("y").asInt())
                .filter(y -> y > top)
                .min()
                .orElse(Integer.MAX_VALUE);
        return DashboardFiles.elements(DashboardFiles.dashboard().get("panels"))
                .map(panel -> panel.get("gridPos"))
                .filter(place -> place.get("y").asInt() > top && place.get("y").asInt() < next)
                .mapToInt(place -> place.get("y").asInt() + place.get("h").asInt())
                .max()
                .orElseThrow();
    }

    @Test
    void onlyRequestsHaveTheirUnit() {
        assertThat(DashboardFiles.panels()).allSatisfy(panel -> {
            boolean ofRequests = DashboardFiles.queriesOf(panel)
                    .flatMap(query -> PromQl.parse(query.expression()).selectors().stream())
                    .allMatch(selector -> OF_REQUESTS.contains(selector.metric()));
            assertThat(unitOf(panel)).isNotEqualTo(ofRequests ? "ops" : "reqps");
        });
    }

    @Test
    void linksLeadToPages() throws IOException {
        List<JsonNode> links =
                DashboardFiles.elements(DashboardFiles.dashboard().get("links")).toList();

        assertThat(links).isNotEmpty();
        for (JsonNode link : links) {
            String url = link.get("url").asString();
            assertThat(DashboardFiles.leadsToAPage(url)).as(url).isTrue();
        }
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
    void everyAlertHasASummaryADescriptionAndAPage() throws IOException {
        List<String> names = DashboardFiles.alerts().stream()
                .map(alert -> alert.get("alert").asString())
                .toList();

        assertThat(names).doesNotHaveDuplicates();
        for (JsonNode alert : DashboardFiles.alerts()) {
            String name = alert.get("alert").asString();
            String description = alert.get("annotations").get("description").asString();
            String page = alert.get("annotations").get("runbook_url").asString();
            assertThat(name).startsWith("Stampede");
            assertThat(DashboardFiles.leadsToAPage(page)).as(page).isTrue();
            assertThat(alert.get("annotations").get("summary").asString())
                    .as(name)
                    .contains("{{ $labels.cache }}");
            assertThat(description.split("[.?] ")).as(name).hasSizeBetween(2, 5);
            assertThat(Pattern.compile("\\bStampede[A-Z][a-z]\\w+")
                            .matcher(description)
                            .results())
                    .as(name)
                    .extracting(MatchResult::group)
                    .isSubsetOf(names);
        }
    }
}
