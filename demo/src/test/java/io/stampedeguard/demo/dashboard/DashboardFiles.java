package io.stampedeguard.demo.dashboard;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The files in {@code dashboards/}, read like their users read them. */
final class DashboardFiles {
    static final Path DIRECTORY = root().resolve("dashboards");
    static final Path ALERTS = DIRECTORY.resolve("prometheus-alerts.yml");
    static final Path ALERTS_TEST = DIRECTORY.resolve("prometheus-alerts-test.yml");
    static final Path SCRAPES = DIRECTORY.resolve("prometheus.yml");
    static final Path PAGE = root().resolve("docs/dashboard.md");

    private DashboardFiles() {}

    /** Tests run in the directory of their module. */
    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.isDirectory(here.resolve("dashboards")) ? here : here.getParent();
    }

    static JsonNode dashboard() {
        return JsonMapper.shared().readTree(DIRECTORY.resolve("grafana-stampede.json"));
    }

    /** All panels without the rows that contain them. */
    static List<JsonNode> panels() {
        return elements(dashboard().get("panels"))
                .filter(panel -> !panel.get("type").asString().equals("row"))
                .toList();
    }

    static List<String> rows() {
        return elements(dashboard().get("panels"))
                .filter(panel -> panel.get("type").asString().equals("row"))
                .map(row -> row.get("title").asString())
                .toList();
    }

    static List<Query> panelQueries() {
        return panels().stream().flatMap(DashboardFiles::queriesOf).toList();
    }

    static Stream<Query> queriesOf(JsonNode panel) {
        return elements(panel.get("targets"))
                .map(target -> new Query(
                        panel.get("title").asString(),
                        target.get("expr").asString(),
                        target.get("legendFormat").asString()));
    }

    static List<JsonNode> alerts() {
        return elements(YAMLMapper.shared().readTree(ALERTS).get("groups"))
                .flatMap(group -> elements(group.get("rules")))
                .toList();
    }

    static List<Query> alertQueries() {
        return alerts().stream()
                .map(alert -> new Query(
                        alert.get("alert").asString(), alert.get("expr").asString(), ""))
                .toList();
    }

    static List<Query> allQueries() {
        return Stream.concat(panelQueries().stream(), alertQueries().stream()).toList();
    }

    static Stream<JsonNode> elements(JsonNode array) {
        return array.valueStream();
    }
}
